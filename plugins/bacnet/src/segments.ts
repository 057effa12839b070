import { mostSegments, segmentAck, type Pdu } from './protocol.ts';

interface Assembly {
  readonly service: number;
  readonly parts: Buffer[];
  /** Segments in the window that was acknowledged last. */
  inWindow: number;
}

/** After a segment: the whole answer; `more` is to come; or the answer is `lost`, because it has more segments than are taken. */
export type Assembled = Buffer | 'more' | 'lost';

/** Puts the segments of answers together and acknowledges them (ANSI/ASHRAE 135, 5.4.4). */
export class Segments {
  readonly #send: (apdu: Buffer) => void;
  /** Answers of which a part has come, by the invoke ids of their requests. */
  readonly #assemblies = new Map<number, Assembly>();

  constructor(send: (apdu: Buffer) => void) {
    this.#send = send;
  }

  /** The request with this id is sent, again or for the first time: segments of an earlier answer are dropped. */
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
      if (sequence !== 0) return 'more';
      assembly = { service, parts: [], inWindow: 0 };
      this.#assemblies.set(id, assembly);
    }
    const next = assembly.parts.length;
    if (sequence !== (next & 0xff) || service !== assembly.service) {
      // The device begins again behind the last segment that came in order.
      assembly.inWindow = 0;
      this.#send(segmentAck(id, (next - 1) & 0xff, window, true));
      return 'more';
    }
    assembly.parts.push(Buffer.from(data.subarray(pdu.start, pdu.end)));
    assembly.inWindow++;
    // The first segment is acknowledged alone, which gives the device the size of the window.
    if (!pdu.moreFollow || sequence === 0 || assembly.inWindow >= window) {
      assembly.inWindow = 0;
      this.#send(segmentAck(id, sequence, window, false));
    }
    if (pdu.moreFollow && assembly.parts.length < mostSegments) return 'more';
    this.#assemblies.delete(id);
    return pdu.moreFollow ? 'lost' : Buffer.concat(assembly.parts);
  }
}
