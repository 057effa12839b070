import { setTimeout as sleep } from 'node:timers/promises';

/** How a wire carries bytes; a TCP connection takes no time for it. */
export interface Medium {
  /** Milliseconds that one byte takes. */
  readonly byte: number;
  /** Milliseconds of silence that end a frame. */
  readonly gap: number;
  /** A new connection carries nothing that was meant for the one before. */
  readonly renews: boolean;
}

export const tcpMedium: Medium = { byte: 0, gap: 0, renews: true };

/** Three and a half characters of silence end a frame, 1.75 ms above 19200 baud (MODBUS over Serial Line V1.02, section 2.5.1.1), and timers need 2 ms. */
export function serialMedium(baudRate: number, bitsPerByte: number): Medium {
  const byte = (1000 * bitsPerByte) / baudRate;
  return { byte, gap: Math.max(3.5 * byte, 2), renews: false };
}

/**
 * Milliseconds of silence after which the line is taken to be empty when something went wrong on it. USB adapters deliver in bursts
 * 16 ms apart, and networks are worse.
 */
const drained = 50;

interface Missing {
  readonly pdu: Uint8Array;
  readonly until: number;
}

/** What all who send on one wire know about it. Times are those of `performance.now()`. */
export class Line {
  readonly medium: Medium;
  #heardAt = -Infinity;
  /** By unit, the request that got no answer, and until when that may still come. */
  readonly #missing = new Map<number, Missing>();

  constructor(medium: Medium) {
    this.medium = medium;
  }

  /** Bytes came. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Waits for the silence between two frames. */
  async gap(): Promise<void> {
    if (this.medium.gap > 0) await sleep(Math.ceil(this.medium.gap));
  }

  /** Waits until the line is empty, for `most` milliseconds at most. */
  async drain(most: number): Promise<void> {
    const silence = Math.max(this.medium.gap, drained);
    const begin = performance.now();
    for (let now = begin; now < begin + most; now = performance.now()) {
      const wait = Math.max(this.#heardAt, begin) + silence - now;
      if (wait <= 0) return;
      await sleep(Math.ceil(wait));
    }
  }

  /** A request got no answer; until then it may still come. */
  missed(unit: number, pdu: Uint8Array, until: number): void {
    this.#missing.set(unit, { pdu, until });
  }

  /** A request was answered. Units answer in order, so what is still missing of this one will not come, unless this was it. */
  answered(unit: number, pdu: Uint8Array): void {
    if (this.#missing.get(unit)?.pdu[0] !== pdu[0]) this.#missing.delete(unit);
  }

  /** Milliseconds for which a request must wait, because the late answer to another one could be taken for its own. */
  waitFor(unit: number, pdu: Uint8Array): number {
    const missing = this.#missing.get(unit);
    if (missing === undefined || missing.pdu[0] !== pdu[0] || Buffer.compare(missing.pdu, pdu) === 0)
      return 0;
    return Math.max(0, missing.until - performance.now());
  }

  /** A connection was made. */
  opened(): void {
    if (this.medium.renews) this.#missing.clear();
  }
}
