import { feed } from '../live/feed.ts';
import { groupKey } from '../live/hub-cache.ts';
import { numberOf } from './recent-values.ts';
import type { TagReference } from './references.ts';

/** Values are kept for this time in ms: longer than the page waits to look at the history again, and for tags without one as long as is useful. */
const span = 60 * 60_000;

const mostPoints = 6000;

interface Series {
  readonly pick: TagReference;
  readonly times: number[];
  readonly values: (number | null)[];
  last: unknown;
}

export const pickKey = ({ node, group, name }: TagReference): string => JSON.stringify([node, group, name]);

/** The values of some tags over the last minutes. An error or a lost connection makes a gap. */
export class TrendBuffer {
  readonly #series = new Map<string, Series>();

  /** Collects values until the returned function is called. */
  start(): () => void {
    return feed.subscribe(() => this.#take());
  }

  pick(picks: readonly TagReference[]): void {
    const wanted = new Set(picks.map(pickKey));
    for (const key of this.#series.keys()) if (!wanted.has(key)) this.#series.delete(key);
    for (const pick of picks) {
      const key = pickKey(pick);
      if (!this.#series.has(key)) this.#series.set(key, { pick, times: [], values: [], last: undefined });
    }
    this.#take();
  }

  /** The times in seconds and the values of a tag; a value lasts until the next one, or until now. */
  series(pick: TagReference, now: number): [number[], (number | null)[]] {
    const { times = [], values = [] } = this.#series.get(pickKey(pick)) ?? {};
    const last = values.at(-1);
    if (last === undefined) return [[], []];
    return [
      [...times, now / 1000],
      [...values, last],
    ];
  }

  #take(): void {
    const { values, connection } = feed.get();
    const now = Date.now();
    for (const series of this.#series.values()) {
      const { node, group, name } = series.pick;
      const tagValue = values.get(groupKey(node, group))?.tagValues.get(name);
      const seen = connection.state === 'lost' ? 'lost' : tagValue;
      if (seen === series.last || seen === undefined) continue;
      series.last = seen;
      series.times.push(now / 1000);
      series.values.push(seen === 'lost' ? null : numberOf(tagValue?.value));
      const old = series.times.findIndex((time) => time * 1000 >= now - span);
      const drop = Math.max(old - 1, series.times.length - mostPoints, 0);
      series.times.splice(0, drop);
      series.values.splice(0, drop);
    }
  }
}
