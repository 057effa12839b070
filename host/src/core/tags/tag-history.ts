import { DataType, ErrorCode } from '@tagway/schemas';
import type { HistoryRange, HistoryReading } from '@tagway/sdk';
import { checkLengths } from '../names.ts';
import type { History } from '../ports/history.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Most buckets and values of one reading. */
const most = { buckets: 10_000, values: 50_000 };
/** Values of a reading that does not say how many it wants. */
const usual = 10_000;

/** Keeps nothing. */
export const noHistory: History = {
  take: () => undefined,
  changed: () => undefined,
  removed: () => undefined,
  read: () => Promise.resolve({ before: undefined, points: [], buckets: [], ...nothing }),
};

const nothing = { oldest: undefined, next: undefined, problem: undefined };

/** Reads what tags were. */
export class TagHistory {
  readonly #state: State;
  readonly #history: History;

  constructor(state: State, history: History) {
    this.#state = state;
    this.#history = history;
  }

  /**
   * Rejects with NODE_NOT_FOUND, GROUP_NOT_ALLOWED, GROUP_NOT_FOUND, TAG_NOT_FOUND, BUSY when too many read histories, PARAM_INVALID for a range
   * that is none, and HISTORY_NOT_KEPT when the group has no history, or the tag is a text.
   */
  async read(node: string, name: string, tagName: string, range: HistoryRange): Promise<HistoryReading> {
    checkLengths(node, name);
    const group = this.#state.group(node, name);
    const tag = group.tags.get(tagName);
    if (tag === undefined)
      throw new Refusal(
        ErrorCode.TAG_NOT_FOUND,
        sentence`The group "${name}" of "${node}" has no tag "${tagName.slice(0, 200)}".`,
      );
    if (group.history === 0)
      throw new Refusal(
        ErrorCode.HISTORY_NOT_KEPT,
        sentence`The group "${name}" of "${node}" keeps no history: give it some megabytes for one.`,
      );
    if (tag.type === DataType.STRING || tag.type === DataType.BYTES)
      throw new Refusal(
        ErrorCode.HISTORY_NOT_KEPT,
        sentence`The tag "${tagName}" has no history: it is kept of numbers, and not of texts or bytes.`,
      );
    return this.#history.read(group, tag, { ...range, limit: checkRange(range) });
  }
}

/** Returns the limit of a range. Throws PARAM_INVALID when it is none, or asks for too much. */
function checkRange({ from, to, step, limit = usual }: HistoryRange): number {
  const { PARAM_INVALID } = ErrorCode;
  if (!Number.isFinite(from) || !Number.isFinite(to))
    throw new Refusal(
      PARAM_INVALID,
      sentence`A range of a history is from one time to another, in milliseconds since the epoch.`,
    );
  if (step !== undefined && !(step >= 1 && (to - from) / step <= most.buckets))
    throw new Refusal(
      PARAM_INVALID,
      sentence`A history is read in ${most.buckets} buckets at most, of one millisecond at least.`,
    );
  if (!Number.isInteger(limit) || limit < 1 || limit > most.values)
    throw new Refusal(PARAM_INVALID, sentence`A history is read by 1 to ${most.values} values at a time.`);
  return limit;
}
