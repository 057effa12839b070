import { mostSegments, segmentAck, type Pdu } from './protocol.ts';

interface Assembly {
  readonly service: number;
  readonly parts: Buffer[];
  /** Segments in the window that was acknowledged last. */
  inWindow: number;
}

/** What became of a segment: the whole answer, or more is to come, or there will never be an answer. */
export type Assembled =
  | { readonly state: 'whole'; readonly data: Buffer }
  | { readonly state: 'more' }
  | { readonly state: 'lost' };

const more: Assembled = { state: 'more' };
const lost: Assembled = { state: 'lost' };

/** Puts the segments of answers together and acknowledges them (ANSI/ASHRAE 135, 5.4.4). */
export class Segments {
  readonly #send: (apdu: Buffer) => void;
  /** Answers of which a part has come, by the invoke ids of their requests. */
  readonly #assemblies = new Map<number, Assembly>();

  constructor(send: (apdu: Buffer) => void) {
    this.#send = send;
  }

  /** The request with this id is sent, again or for the first time: what came for an earlier one is void. */
  forget(id: number): void {
    this.#assemblies.delete(id);
  }

  clear(): void {
    this.#assemblies.clear();
  }

  take(pdu: Pdu, data: Buffer): Assembled {
    const { id, sequence, service } = pdu;
    const window = Math.min(127, Math.max(1, pdu.window));
    let assembly = this.#assemblies.get(id);
    if (assembly === undefined) {
      if (sequence !== 0) return more;
      assembly = { service, parts: [], inWindow: 0 };
      this.#assemblies.set(id, assembly);
    }
    const next = assembly.parts.length;
    if (sequence !== (next & 0xff) || service !== assembly.service) {
      // The device begins again behind the last segment that came in order.
      assembly.inWindow = 0;
      this.#send(segmentAck(id, (next - 1) & 0xff, window, true));
      return more;
    }
    assembly.parts.push(Buffer.from(data.subarray(pdu.start, pdu.end)));
    assembly.inWindow++;
    // The first segment is acknowledged alone, which tells the device the size of the window.
    if (!pdu.moreFollow || sequence === 0 || assembly.inWindow >= window) {
      assembly.inWindow = 0;
      this.#send(segmentAck(id, sequence, window, false));
    }
    if (pdu.moreFollow) {
      if (assembly.parts.length < mostSegments) return more;
      this.#assemblies.delete(id);
      return lost;
    }
    this.#assemblies.delete(id);
    return { state: 'whole', data: Buffer.concat(assembly.parts) };
  }
}
