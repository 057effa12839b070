import type { GroupPace } from '@tagway/schemas';
import type { TagBody } from '../model.ts';
import type { RowProblem } from './row-checks.ts';

/**
 * `merge` changes tags that exist and adds others, `add` and `update` do one of the two, and `replace` is `merge` that also removes the
 * tags of the groups that no row names.
 */
export type PlanMode = 'merge' | 'add' | 'update' | 'replace';

/** A tag as it is to be. */
export interface TagRowBody {
  /** Its name is the one by which the tag is found. */
  readonly body: TagBody;
  readonly newName: string | undefined;
  /** Undefined: the group of the request. */
  readonly group: string | undefined;
  /** Milliseconds, of a group that is made; the first row of the group that has one decides. */
  readonly interval: number | undefined;
  /** Of a group that is made, as its interval. */
  readonly pace?: GroupPace | undefined;
}

export interface TagRows {
  readonly node: string;
  readonly group: string;
  /** Milliseconds, of a group that is made. */
  readonly interval?: number | undefined;
  /** Undefined where the row is no tag, which is then among the problems. */
  readonly rows: readonly (TagRowBody | undefined)[];
  /** Problems of rows that are no tags. */
  readonly problems: readonly RowProblem[];
  readonly remove: readonly string[];
  readonly mode: PlanMode;
}

export type RowAction = 'add' | 'update' | 'unchanged' | 'refused';

/** What a request with rows would change. */
export interface TagPlan {
  /** One for each row. */
  readonly actions: readonly RowAction[];
  /** How many tags would be removed. */
  readonly remove: number;
  /** All of them, by the index of their rows. */
  readonly problems: readonly RowProblem[];
}
