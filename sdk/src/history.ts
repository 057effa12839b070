/** Which values of the history of a tag. Times are milliseconds since the epoch. */
export interface HistoryRange {
  readonly from: number;
  /** Included. */
  readonly to: number;
  /** Sums values up in buckets of this many milliseconds, of which the first begins at `from`; at most 10 000 of them. Default: every value. */
  readonly step?: number | undefined;
  /** Most values where every value is asked for, 50 000 at most; a few more where several have the same time. Default: 10 000. */
  readonly limit?: number | undefined;
}

/** A value, or why there is none, at a time. */
export interface HistoryPoint {
  readonly time: number;
  /** BOOL as 0 or 1; a bigint of an integer beyond 2^53. Undefined where there is an error. */
  readonly value: number | bigint | undefined;
  /** 0: none. HISTORY_GAP: nothing is known from here to the next value. */
  readonly error: number;
  /** Flags of `Quality`. */
  readonly quality: number;
}

/** The values of a time. `min`, `max` and `mean` are undefined where there are none. */
export interface HistoryBucket {
  /** When it begins. */
  readonly time: number;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly mean: number | undefined;
  /** How many values there are. */
  readonly count: number;
  /** The latest error in it; 0: none. */
  readonly error: number;
  /** All flags of `Quality` that some value has. */
  readonly quality: number;
}

export interface HistoryReading {
  /** The time of the oldest value of the group that is kept; undefined where there is none. */
  readonly oldest: number | undefined;
  /** The latest before the range; undefined where none is known. */
  readonly before: HistoryPoint | undefined;
  /** Without `step`, ascending. */
  readonly points: readonly HistoryPoint[];
  /** With `step`. */
  readonly buckets: readonly HistoryBucket[];
  /** The time of the first value that is left out, because there are more than `limit`. */
  readonly next: number | undefined;
  /** Why values of now are not stored, in a sentence. */
  readonly problem: string | undefined;
}
