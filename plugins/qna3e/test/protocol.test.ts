import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { pointsOf, readings, written } from '@tagway/testkit';
import { blameOf } from '@tagway/plc-words';
import { readRefused, writeRefused } from '../src/faults.ts';
import {
  batch,
  Command,
  endCodeOf,
  frameLength,
  packBits,
  randomBits,
  randomWords,
  requestFrame,
  routeBytes,
  timerOf,
  Unit,
  unpackBits,
} from '../src/protocol.ts';
import { openFixture } from './fixture.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const route = routeBytes({ network: 0, pc: 0xff, module_io: 0x3ff, station: 0 });

/** A request from its command on, as the manual prints it. */
const bodyOf = (command: number, unit: Unit, data: Buffer): Buffer =>
  requestFrame(route, 0x10, command, unit, data).subarray(11);

/** A good reply with these data. */
const reply = (data: string): Buffer => {
  const bytes = hex(data);
  const head = hex('D000 00 FF FF03 00 0000 0000');
  head.writeUInt16LE(2 + bytes.length, 7);
  return Buffer.concat([head, bytes]);
};

describe('frames', () => {
  it('write a word as an exchange with an independent server has it', () => {
    const data = Buffer.concat([batch(0xa8, 100, 1), hex('0903')]);
    expect(requestFrame(route, 0x10, Command.WRITE, Unit.WORDS, data)).to.deep.equal(
      hex('500000FFFF03000E00100001140000640000A801000903'),
    );
    const answer = hex('D00000FFFF030002000000');
    expect(frameLength(route, answer, 0, answer.length)).to.equal(11);
    expect(endCodeOf(answer)).to.equal(0);
  });

  it('are laid out as the manual has them (SH-080008, section 8)', () => {
    expect(bodyOf(Command.READ, Unit.WORDS, batch(0x90, 100, 2)), 'M100 to M131 as words').to.deep.equal(
      hex('0104 0000 640000 90 0200'),
    );
    expect(bodyOf(Command.READ, Unit.BITS, batch(0x90, 100, 8)), 'M100 to M107').to.deep.equal(
      hex('0104 0100 640000 90 0800'),
    );
    expect(bodyOf(Command.READ, Unit.WORDS, batch(0xc2, 100, 3)), 'TN100 to TN102').to.deep.equal(
      hex('0104 0000 640000 C2 0300'),
    );
    const d350 = Buffer.concat([batch(0xa8, 350, 2), hex('AB56 0F17')]);
    expect(bodyOf(Command.WRITE, Unit.WORDS, d350), 'D350 = 56AB, D351 = 170F').to.deep.equal(
      hex('0114 0000 5E0100 A8 0200 AB56 0F17'),
    );
    const m100 = Buffer.concat([batch(0x90, 100, 8), packBits(Uint8Array.of(1, 1, 0, 0, 1, 1, 0, 0))]);
    expect(bodyOf(Command.WRITE, Unit.BITS, m100), 'M100 to M107 written').to.deep.equal(
      hex('0114 0100 640000 90 0800 11 00 11 00'),
    );
    const values = [
      { area: 0xa8, start: 0, data: hex('5005') },
      { area: 0xa8, start: 1500, data: hex('02123904') },
      { area: 0xa8, start: 1, data: hex('7505') },
      { area: 0xb4, start: 0x160, data: hex('07267523') },
    ];
    expect(
      bodyOf(Command.WRITE_RANDOM, Unit.WORDS, randomWords(values)),
      'words before double words',
    ).to.deep.equal(hex('0214 0000 02 02 000000A85005 010000A87505 DC0500A802123904 600100B407267523'));
    const bits = [
      { area: 0x90, start: 50, data: Uint8Array.of(0) },
      { area: 0x9d, start: 0x2f, data: Uint8Array.of(1) },
    ];
    expect(bodyOf(Command.WRITE_RANDOM, Unit.BITS, randomBits(bits)), 'M50 off, Y2F on').to.deep.equal(
      hex('0214 0100 02 320000 90 00 2F0000 9D 01'),
    );
  });

  it('have two bits a byte, the first in the high half', () => {
    expect([...unpackBits(hex('00010011'), 8)]).to.deep.equal([0, 0, 0, 1, 0, 0, 1, 1]);
    expect([...unpackBits(hex('1110'), 3)]).to.deep.equal([1, 1, 1]);
    expect(packBits(Uint8Array.of(1, 0, 1))).to.deep.equal(hex('1010'));
  });

  it('are found by subheader, route and length, and nothing else is', () => {
    const frame = reply('AB56');
    for (let end = 1; end < 9; end++) expect(frameLength(route, frame, 0, end), `${end} bytes`).to.equal(0);
    expect(frameLength(route, frame, 0, 9)).to.equal(13);
    for (const wrong of ['51', 'D001', 'D00001', 'D00000FE', 'D00000FFFF03000100', 'D00000FFFF0300FFFF'])
      expect(frameLength(route, hex(wrong), 0, wrong.length / 2), wrong).to.equal(-1);
  });

  it('have a timer in units of 250 ms that ends first', () => {
    expect([1000, 3000, 65_535].map(timerOf)).to.deep.equal([3, 11, 261]);
  });

  it("are read as the manual's replies mean them", async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    const replies = ['AB560F17', '00010011', '4E4F544C'];
    const points = [
      pointsOf(['D350', DataType.UINT16], ['D351', DataType.UINT16]),
      pointsOf(...Array.from({ length: 8 }, (_, index) => [`M${100 + index}`, DataType.BIT] as const)),
      pointsOf(['D1500', DataType.UINT32], ['D1500.4L', DataType.STRING]),
    ];
    simulator.script = () => [reply(replies.shift() ?? '')];
    expect(await readings(driver, points[0] ?? [])).to.deep.equal([0x56ab, 0x170f]);
    expect(await readings(driver, points[1] ?? [])).to.deep.equal([0, 0, 0, 1, 0, 0, 1, 1]);
    expect(await readings(driver, points[2] ?? [])).to.deep.equal([0x4c54_4f4e, 'NOTL']);
  });

  it('have end codes that are named in the fault, an error without its echo too', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    simulator.script = () => [hex('D00000FFFF0300020056C0')];
    const points = pointsOf('D9');
    expect(await readings(driver, points)).to.deep.equal([{ fault: ErrorCode.READ_FAILED }]);
    expect(await written(driver, [{ point: points[0]!, value: 1 }])).to.deep.equal([ErrorCode.WRITE_FAILED]);
    expect(readRefused(0xc056).message).to.contain('C056').and.to.match(/\.$/);
    expect(blameOf(readRefused(0xc052))).to.equal('size');
    expect(blameOf(writeRefused(0x0055))).to.equal(undefined);
    expect(record.links.at(-1)?.report.reason, 'the link is not to blame').to.equal(undefined);
  });
});
