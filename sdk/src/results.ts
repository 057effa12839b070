import type { Fault } from './fault.ts';

/**
 * Takes the values of points by their index. Each call stores one thing; nothing is kept of the arguments but strings. Once the
 * call that it was given to has settled it takes nothing any more, so that a late answer cannot get into the next reading.
 */
export interface Values {
  /** INT8 to UINT32, FLOAT, DOUBLE; BIT and BOOL as 0 or 1. A value that is not finite is a fault of its point. */
  number(index: number, value: number): void;
  /** INT64 and UINT64. */
  integer(index: number, value: bigint): void;
  /** STRING. */
  text(index: number, value: string): void;
  /** BYTES; the bytes are copied. */
  bytes(index: number, value: Uint8Array): void;
  /** The point has no value, and this is why. Points fail often: keep one fault per cause and reuse it. */
  fault(index: number, fault: Fault): void;
  /**
   * When the value, or the fault, arose at its source, in milliseconds since the epoch (UTC; NaN: not known), and its quality,
   * flags of `Quality`. After the value that it belongs to.
   */
  stamp(index: number, time: number, quality?: number): void;
}

/** Takes the results of writes by their index. A write that is neither done nor failed counts as not confirmed: WRITE_FAILED. */
export interface Results {
  /** The device has confirmed the write. */
  done(index: number): void;
  fault(index: number, fault: Fault): void;
}
