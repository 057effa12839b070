import type { HistoryRange, HistoryReading, Sample } from '@tagway/sdk';
import type { Group, Tag } from '../model.ts';

/** Keeps what the tags of some groups were in the last day. */
export interface History {
  /** Takes a sample of a group; column `i` belongs to `tags[i]`. */
  take(group: Group, sample: Sample, tags: readonly Tag[]): void;
  /** The group has changed: what is kept of one that is to have no history any more goes. */
  changed(group: Group): void;
  /** The group is deleted. */
  removed(group: Group): void;
  /** Rejects with BUSY when too many read already. */
  read(group: Group, tag: Tag, range: BoundedRange): Promise<HistoryReading>;
}

/** A range with its bound. */
export type BoundedRange = HistoryRange & { readonly limit: number };
