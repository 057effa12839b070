/** What a framer finds in the bytes that it is given. */
export interface FrameSink {
  /** A whole frame: its protocol data unit is `data[start, end)`. */
  frame(id: number, unit: number, data: Buffer, start: number, end: number): void;
  /** The bytes are no frames, and where the next one begins cannot be known. */
  lost(reason: string): void;
}

/** Turns protocol data units into frames and bytes back into them. */
export interface Framer {
  /** Bytes that a frame has beyond its protocol data unit. */
  readonly overhead: number;
  /** Writes the frame of a request and returns where it ends. `id` comes back with the answer. */
  write(out: Buffer, at: number, id: number, unit: number, pdu: Uint8Array): number;
  /** Takes `data[0, end)` and reports the frames in it, in order; keeps the beginning of a frame for the next call. */
  read(data: Buffer, end: number, sink: FrameSink): void;
  /** Forgets what it has kept. */
  reset(): void;
}
