import type { LiveDemand } from '@tagway/schemas';
import { Readable, type Writable } from 'node:stream';
import type { GroupReading } from '../../core/model.ts';
import { TagSelection } from './group-values.ts';

/** A group that a viewer subscribes to, and what it was sent of it last. */
export interface Wanted extends Pick<LiveDemand, 'node' | 'group'> {
  /** Undefined: all. */
  readonly tags: TagSelection | undefined;
  /** The sample that it was sent last. */
  seen: GroupReading | undefined;
  /** The error that it was sent instead of values. */
  refusal: string | undefined;
}

/** Who a stream is for. */
export interface ViewerSource {
  readonly owner: string;
  readonly wantsStates: boolean;
  /** What the stream is written to. */
  readonly reply: Pick<Writable, 'writableNeedDrain'>;
  /** Rejects with a Fault when its caller may not see values any more. */
  readonly check: () => Promise<unknown>;
}

/**
 * One open stream. It has no queue: while a viewer has not read what it was sent, nothing more is sent, and later all changes since then
 * are sent at once.
 */
export class Viewer extends Readable {
  readonly key: string;
  readonly owner: string;
  readonly wantsStates: boolean;
  readonly check: () => Promise<unknown>;
  readonly #reply: ViewerSource['reply'];
  /** The round of `StateChanges` of its latest event. */
  seenRound = 0;
  wanted: readonly Wanted[] = [];
  /** When it last read or was sent something, in milliseconds of a clock that never goes back. */
  takenAt = performance.now();
  /** When it was sent the last beat. */
  beatAt = performance.now();
  #isReady = false;
  /** Bytes that it was sent last. */
  #sent = 0;
  /** The group whose turn it is. */
  #next = 0;

  constructor(key: string, { owner, wantsStates, reply, check }: ViewerSource) {
    super({ highWaterMark: 1 });
    this.key = key;
    this.owner = owner;
    this.wantsStates = wantsStates;
    this.check = check;
    this.#reply = reply;
  }

  /** True when it has read all that it was sent. */
  get isReady(): boolean {
    return this.#isReady && !this.destroyed && this.readableLength === 0 && !this.#reply.writableNeedDrain;
  }

  override _read(): void {
    this.#isReady = true;
    this.takenAt = performance.now();
  }

  /** Groups that it had before continue with changes; new groups begin with all values. A group that comes twice is one group. */
  want(demands: readonly LiveDemand[]): void {
    const before = new Map(this.wanted.map((wanted) => [keyOf(wanted), wanted]));
    const merged = new Map<string, LiveDemand>();
    for (const demand of demands) {
      const { node, group, tags } = demand;
      const key = keyOf(demand);
      const other = merged.get(key);
      const all = tags === undefined || (other !== undefined && other.tags === undefined);
      merged.set(key, all ? { node, group } : { node, group, tags: [...(other?.tags ?? []), ...tags] });
    }
    this.wanted = [...merged].map(([key, { node, group, tags }]) => {
      const known = before.get(key);
      const isSame = known !== undefined && includesAll(known.tags, tags);
      return {
        node,
        group,
        tags: tags && new TagSelection(tags),
        seen: isSame ? known.seen : undefined,
        refusal: isSame ? known.refusal : undefined,
      };
    });
    this.#next = 0;
  }

  /** The groups in turn, each once, from where the last time ended. */
  *turn(): Iterable<Wanted> {
    for (let count = this.wanted.length; count > 0; count -= 1) {
      const wanted = this.wanted[this.#next];
      this.#next = (this.#next + 1) % this.wanted.length;
      if (wanted !== undefined) yield wanted;
    }
  }

  /** Bytes that it has not taken yet. */
  get unread(): number {
    return this.isReady ? 0 : this.#sent;
  }

  /** Sends one or several whole events. */
  send(events: Buffer | string): void {
    this.#isReady = false;
    this.#sent = events.length;
    this.takenAt = performance.now();
    this.push(events);
  }
}

export const keyOf = ({ node, group }: Pick<Wanted, 'node' | 'group'>): string =>
  JSON.stringify([node, group]);

function includesAll(known: Wanted['tags'], tags: readonly string[] | undefined): boolean {
  if (known === undefined) return true;
  return tags !== undefined && tags.every((tag) => known.tags.has(tag));
}
