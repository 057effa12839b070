import type { Sample } from '@tagway/sdk';
import type { Group, Tag } from '../model.ts';

/** What of the history of a tag is asked for. Times are milliseconds since the epoch. */
export interface HistoryRange {
  readonly from: number;
  /** Included. */
  readonly to: number;
  /** Values are summed up in buckets of this many milliseconds, the first of which begins at `from`. Undefined: every value. */
  readonly step?: number | undefined;
  /** Most values, where every value is asked for; a few more where several have the same time. */
  readonly limit: number;
}

/** A value, or why there is none, at a time. */
export interface HistoryPoint {
  readonly time: number;
  /** Undefined where there is an error. */
  readonly value: number | bigint | undefined;
  /** 0: none. */
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
  /** Without `step`. */
  readonly points: readonly HistoryPoint[];
  /** With `step`. */
  readonly buckets: readonly HistoryBucket[];
  /** The time of the first value that is left out, because there are more than `limit`. */
  readonly next: number | undefined;
  /** Why values of now are not stored, in a sentence. */
  readonly problem: string | undefined;
}

/** Keeps what the tags of some groups were in the last day. */
export interface History {
  /** Takes a sample of a group; column `i` belongs to `tags[i]`. */
  take(group: Group, sample: Sample, tags: readonly Tag[]): void;
  /** The group has changed: what is kept of one that is to have no history any more goes. */
  changed(group: Group): void;
  /** The group is deleted. */
  removed(group: Group): void;
  /** Rejects with BUSY when too many read already. */
  read(group: Group, tag: Tag, range: HistoryRange): Promise<HistoryReading>;
}
