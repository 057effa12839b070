/** Who asks. */
export interface Asker {
  /** The address that the audit has: of a client over TCP, or the serial port. */
  readonly from: string;
  /** For lines of the log. */
  readonly peer: string;
  /** Why it may not write: a clause; undefined: it may. */
  readonly refusal: string | undefined;
}

/** Writes an exception to `out[at]`. Returns its length. */
export function putException(out: Buffer, at: number, code: number, exception: number): number {
  out[at] = code | 0x80;
  out[at + 1] = exception;
  return 2;
}

/** Whether `count` places from `start` on are there at all. */
export function isWithin(start: number, count: number): boolean {
  return start + count <= 65_536;
}
