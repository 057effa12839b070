import { DataType, ErrorCode } from '@tagway/schemas';
import { checkLengths } from '../names.ts';
import type { History, HistoryRange, HistoryReading } from '../ports/history.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence } from '../system/sentence.ts';

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
   * Rejects with NODE_NOT_FOUND, GROUP_NOT_ALLOWED, GROUP_NOT_FOUND, TAG_NOT_FOUND, BUSY when too many read histories, and HISTORY_NOT_KEPT when
   * the group has no history, or the tag is a text.
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
    return this.#history.read(group, tag, range);
  }
}
