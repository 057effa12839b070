import type { Clock } from '../context.ts';
import { disconnected, noResponse } from './faults.ts';
import type { Handshake } from './protocol.ts';

interface ConnectionParts {
  send(bytes: Buffer): void;
  lose(reason: string): void;
  proven(): void;
  readonly timeout: number;
  readonly clock: Clock;
}

/** One connection of a link, with the frames that wait for its handshake. */
export class Connection implements Handshake {
  readonly peer: string;
  readonly generation: number;
  readonly #parts: ConnectionParts;
  readonly #gone = new AbortController();
  /** Frames that were not taken yet. */
  readonly #frames: Buffer[] = [];
  #bytes = 0;
  #wake: () => void = () => undefined;

  constructor(peer: string, generation: number, parts: ConnectionParts) {
    this.peer = peer;
    this.generation = generation;
    this.#parts = parts;
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  send(bytes: Buffer): void {
    if (!this.signal.aborted) this.#parts.send(bytes);
  }

  lose(reason: string): void {
    if (!this.signal.aborted) this.#parts.lose(reason);
  }

  proven(): void {
    if (!this.signal.aborted) this.#parts.proven();
  }

  async next(ms: number = this.#parts.timeout): Promise<Buffer> {
    if (this.#frames.length === 0 && !this.signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = this.#parts.clock.timer(ms, resolve);
      await promise;
      timer[Symbol.dispose]();
    }
    if (this.signal.aborted) throw disconnected;
    const frame = this.#frames.shift();
    if (frame === undefined) throw noResponse;
    this.#bytes -= frame.length;
    return frame;
  }

  /** Keeps a copy of a frame for `next`. Returns how many bytes wait now. */
  keep(data: Buffer, at: number, end: number): number {
    this.#frames.push(Buffer.from(data.subarray(at, end)));
    this.#bytes += end - at;
    this.#wake();
    return this.#bytes;
  }

  /** The frames that the handshake did not take. */
  rest(): Buffer[] {
    return this.#frames.splice(0);
  }

  end(): void {
    this.#gone.abort(disconnected);
    this.#wake();
  }
}
