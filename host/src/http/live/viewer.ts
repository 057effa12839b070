import type { LiveDemand } from '@tagway/schemas';
import type { Sample } from '@tagway/sdk';
import { Readable } from 'node:stream';

/** A group that a viewer wants, and what it was told of it. */
export interface Wanted extends Pick<LiveDemand, 'node' | 'group'> {
  /** Undefined: all. */
  readonly tags: ReadonlySet<string> | undefined;
  /** The sample that it has seen the values of. */
  seen: Sample | undefined;
  /** The error that it was told instead of values. */
  refusal: string | undefined;
}

/**
 * One open stream. It holds no queue: nothing is told to a viewer that has not taken what it was told before, and what has
 * changed meanwhile is told together later.
 */
export class Viewer extends Readable {
  readonly key: string;
  readonly owner: string;
  /** Rejects with a Fault once whoever looks on may not any more. */
  readonly check: () => Promise<unknown>;
  readonly wantsStates: boolean;
  /** The round of `StateChanges` that it was told last. */
  seenRound = 0;
  wanted: readonly Wanted[] = [];
  /** When it took something last, or was told something while it waited for it, by a clock that never jumps. */
  takenAt = performance.now();
  /** When it was told the last beat. */
  beatAt = performance.now();
  #isReady = false;

  constructor(key: string, owner: string, wantsStates: boolean, check: () => Promise<unknown>) {
    super({ highWaterMark: 1 });
    this.key = key;
    this.owner = owner;
    this.wantsStates = wantsStates;
    this.check = check;
  }

  /** True when it has taken all that it was told. */
  get isReady(): boolean {
    return this.#isReady && !this.destroyed && this.readableLength === 0;
  }

  override _read(): void {
    this.#isReady = true;
    this.takenAt = performance.now();
  }

  /** Groups it wanted before go on where they are; groups that are new to it begin anew. */
  want(demands: readonly LiveDemand[]): void {
    const before = new Map(this.wanted.map((wanted) => [placeOf(wanted), wanted]));
    this.wanted = demands.map(({ node, group, tags }) => {
      const known = before.get(placeOf({ node, group }));
      const isSame = known !== undefined && includesAll(known.tags, tags);
      return {
        ...{ node, group, tags: tags && new Set(tags) },
        seen: isSame ? known.seen : undefined,
        refusal: isSame ? known.refusal : undefined,
      };
    });
  }

  /** Tells one or several whole events. */
  tell(events: Buffer | string): void {
    this.#isReady = false;
    this.takenAt = performance.now();
    this.push(events);
  }
}

const placeOf = ({ node, group }: Pick<Wanted, 'node' | 'group'>): string => JSON.stringify([node, group]);

function includesAll(known: Wanted['tags'], tags: readonly string[] | undefined): boolean {
  if (known === undefined) return true;
  return tags !== undefined && tags.every((tag) => known.has(tag));
}
