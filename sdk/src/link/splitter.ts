/** How a protocol's frames are found in a stream of bytes. */
export interface Framing {
  /**
   * Bytes of the frame that begins at `at`, judged by `bytes[at, end)`, which may be a single byte: 0 when more is needed to
   * know, -1 when no frame begins there. It throws nothing and keeps nothing. Absent: what arrives at once is one frame.
   */
  length?(bytes: Buffer, at: number, end: number): number;
  /** Bytes of the largest frame; what claims to be larger is invalid. Default 65536. */
  readonly most?: number;
  /** What is done with bytes that are not a frame: `drop` the connection (the default), or `skip` to where a frame may begin. */
  readonly garbage?: 'drop' | 'skip';
}

/** Called by a splitter with its findings. */
export interface FrameSink {
  /** `data[at, end)` is a frame; it is valid only during the call. */
  frame(data: Buffer, at: number, end: number): void;
  /** `bytes` bytes did not belong to a frame and are skipped. */
  skipped(bytes: number): void;
  /** The bytes are no frames, and what follows cannot be understood. */
  invalid(data: Buffer, at: number, end: number): void;
}

const defaultMost = 65_536;

/** Splits a stream into frames, however its bytes arrive. */
export class FrameSplitter {
  readonly #framing: Framing;
  readonly #sink: FrameSink;
  readonly #most: number;
  /** The beginning of a frame whose end has not come, then what came after it. */
  #kept = Buffer.alloc(0);
  #size = 0;
  /** Grows with every `reset`, so that a loop over older bytes ends. */
  #epoch = 0;

  constructor(framing: Framing, sink: FrameSink) {
    this.#framing = framing;
    this.#sink = sink;
    this.#most = framing.most ?? defaultMost;
  }

  /** Takes `data[0, end)`. */
  take(data: Buffer, end: number): void {
    if (this.#framing.length === undefined) return this.#sink.frame(data, 0, end);
    if (this.#size === 0) return this.#split(data, end);
    const size = this.#size + end;
    if (this.#kept.length < size) this.#grow(size);
    data.copy(this.#kept, this.#size, 0, end);
    this.#size = 0;
    this.#split(this.#kept, size);
  }

  /** Drops the kept bytes: a new connection has begun, or a datagram has ended. Returns how many they were. */
  reset(): number {
    const size = this.#size;
    this.#size = 0;
    this.#epoch++;
    return size;
  }

  #split(data: Buffer, end: number): void {
    const epoch = this.#epoch;
    let at = 0;
    let skipped = 0;
    while (at < end) {
      const size = this.#sizeAt(data, at, end);
      if (size < 0 && this.#framing.garbage !== 'skip') return this.#sink.invalid(data, at, end);
      if (size < 0) {
        at++;
        skipped++;
        continue;
      }
      if (skipped > 0) this.#sink.skipped(skipped);
      skipped = 0;
      if (size === 0 || at + size > end) break;
      this.#sink.frame(data, at, at + size);
      if (epoch !== this.#epoch) return;
      at += size;
    }
    if (skipped > 0) this.#sink.skipped(skipped);
    const rest = end - at;
    if (rest > 0 && data !== this.#kept && this.#kept.length < rest) this.#grow(rest);
    if (rest > 0) data.copy(this.#kept, 0, at, end);
    this.#size = rest;
  }

  /** As `length`, with what is too large made invalid. */
  #sizeAt(data: Buffer, at: number, end: number): number {
    const size = this.#framing.length?.(data, at, end) ?? end - at;
    if (size > this.#most) return -1;
    return size === 0 && end - at >= this.#most ? -1 : size;
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#kept.length, 256));
    this.#kept.copy(larger, 0, 0, this.#size);
    this.#kept = larger;
  }
}
