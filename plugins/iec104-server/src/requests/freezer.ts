import { type Context, isFault } from '@tagway/sdk';
import type { KeptCounter } from '../points/counter.ts';
import type { Point } from '../points/point.ts';

const prefix = 'counter ';

const keyOf = ({ ca, object }: Point): string => `${prefix}${ca} ${object}`;

/** Freezes counters, and keeps what was frozen over restarts and at both gateways of a pair. */
export class Freezer {
  readonly #context: Pick<Context, 'clock' | 'log' | 'store'>;
  #kept: ReadonlyMap<string, string> = new Map();

  constructor(context: Pick<Context, 'clock' | 'log' | 'store'>) {
    this.#context = context;
  }

  load(kept: ReadonlyMap<string, string>): void {
    this.#kept = kept;
  }

  /** Gives counters that are new what was kept of them. */
  restore(points: readonly Point[]): void {
    for (const point of points) {
      const text = point.counter === undefined ? undefined : this.#kept.get(keyOf(point));
      if (text !== undefined) point.counter?.restore(JSON.parse(text) as KeptCounter);
    }
  }

  /** Resolves with false when the gateway could not keep it: the counters are as they were. */
  async freeze(
    points: readonly Point[],
    { freezes, resets }: { readonly freezes: boolean; readonly resets: boolean },
  ): Promise<boolean> {
    const now = this.#context.clock.now();
    const entries: [key: string, text: string | undefined][] = [];
    const before: (() => void)[] = [];
    for (const point of points) {
      const { counter } = point;
      if (counter === undefined) continue;
      const old = counter.copy();
      before.push(() => counter.continue(old));
      if (freezes) counter.freeze(point, now, resets);
      else counter.reset(point);
      entries.push([keyOf(point), JSON.stringify(counter.kept)]);
    }
    if (entries.length === 0) return true;
    try {
      await this.#context.store.write(entries);
      this.#kept = new Map([
        ...this.#kept,
        ...entries.flatMap(([key, text]) => (text === undefined ? [] : [[key, text] as const])),
      ]);
      return true;
    } catch (error) {
      for (const undo of before) undo();
      this.#context.log.error(
        `The counters were not frozen: ${isFault(error) ? error.message : String(error)}`,
      );
      return false;
    }
  }
}
