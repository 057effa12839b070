import { expect } from 'chai';
import { Dissection, type Packet } from '@tagway/testkit';

/** What tshark shows of packets: their fields, with tabs between them. */
export function shownOf(packets: readonly Packet[], filter: string, ...names: string[]): string[] {
  return dissectionOf(packets)
    .fields(names, filter)
    .map((cells) => cells.join('\t'));
}

export function expectSound(packets: readonly Packet[]): void {
  expect(dissectionOf(packets).malformed()).to.deep.equal([]);
  expect(shownOf(packets, 'bvlc', 'frame.number')).to.have.length(packets.length);
}

const dissectionOf = (packets: readonly Packet[]): Dissection => new Dissection(packets, 47_808, 'udp');
