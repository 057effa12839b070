import { setTimeout as sleep } from 'node:timers/promises';

/** How a wire carries bytes; a TCP connection takes no time for it. */
export interface Medium {
  /** Milliseconds that one byte takes. */
  readonly byte: number;
  /** Milliseconds of silence that end a frame. */
  readonly gap: number;
  /** A new connection never carries late answers of the one before. */
  readonly renews: boolean;
}

export const tcpMedium: Medium = { byte: 0, gap: 0, renews: true };

/**
 * Three and a half characters of silence end a frame, as in MODBUS over Serial Line V1.02, section 2.5.1.1, unless the protocol wants
 * more or fewer; timers need 2 ms. `bitsPerByte` counts start, parity and stop bits.
 */
export function serialMedium(baudRate: number, bitsPerByte: number, gapCharacters = 3.5): Medium {
  const byte = (1000 * bitsPerByte) / baudRate;
  return { byte, gap: Math.max(gapCharacters * byte, 2), renews: false };
}

/**
 * Milliseconds of silence after which the line counts as empty after an error. USB adapters deliver bytes in bursts 16 ms apart, and
 * networks have longer pauses.
 */
const drained = 50;

/** The parts of a request that a line remembers. */
export interface Asked {
  /** The request as it is sent. */
  readonly bytes: Buffer;
  /** Who is asked. */
  readonly station: number | string;
  /** The part of the request that its answer repeats: answers of one station to two requests of one kind cannot be distinguished. */
  readonly kind: number | string;
}

interface Missing {
  readonly asked: Asked;
  readonly until: number;
}

/** The state of one wire, shared by all that send on it. Times are those of `performance.now()`. */
export class Line {
  readonly medium: Medium;
  #heardAt = -Infinity;
  /** By station, the request that got no answer, and until when that may still come. */
  readonly #missing = new Map<number | string, Missing>();

  constructor(medium: Medium) {
    this.medium = medium;
  }

  /** Bytes were received. */
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

  /** A request got no answer; it may still come until `until`. */
  missed(asked: Asked, until: number): void {
    this.#missing.set(asked.station, { asked, until });
  }

  /** A request was answered. Stations answer in order, so an earlier missing answer of this station will not come, unless this was it. */
  answered(asked: Asked): void {
    const missing = this.#missing.get(asked.station);
    if (missing?.asked.kind !== asked.kind) this.#missing.delete(asked.station);
  }

  /** Milliseconds for which a request must wait, because the late answer to another one could be taken for its own. */
  waitFor(asked: Asked): number {
    const missing = this.#missing.get(asked.station);
    if (missing?.asked.kind !== asked.kind || missing.asked.bytes.equals(asked.bytes)) return 0;
    return Math.max(0, missing.until - performance.now());
  }

  /** A connection was made. */
  opened(): void {
    if (this.medium.renews) this.#missing.clear();
  }
}
