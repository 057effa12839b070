import { feed } from '../live/feed.ts';
import { groupKey } from '../live/known.ts';

/** A tag whose course is drawn. */
export interface Pick {
  readonly node: string;
  readonly group: string;
  readonly name: string;
}

/** Milliseconds that are kept. */
export const span = 10 * 60_000;

const mostPoints = 6000;

interface Course {
  readonly pick: Pick;
  readonly times: number[];
  readonly values: (number | null)[];
  last: unknown;
}

export const pickKey = ({ node, group, name }: Pick): string => JSON.stringify([node, group, name]);

/** The last minutes of some tags, as they came. What is not there, because of an error or a lost connection, is a gap. */
export class TrendBuffer {
  readonly #courses = new Map<string, Course>();

  /** Gathers until the function that comes back is called. */
  start(): () => void {
    return feed.subscribe(() => this.#take());
  }

  pick(picks: readonly Pick[]): void {
    const wanted = new Set(picks.map(pickKey));
    for (const key of this.#courses.keys()) if (!wanted.has(key)) this.#courses.delete(key);
    for (const pick of picks) {
      const key = pickKey(pick);
      if (!this.#courses.has(key)) this.#courses.set(key, { pick, times: [], values: [], last: undefined });
    }
    this.#take();
  }

  /** Per tag its times in seconds and values; a value lasts until the next one, or until now. */
  series(now: number): [number[], (number | null)[]][] {
    return Array.from(this.#courses.values(), ({ times, values }) => {
      const last = values.at(-1);
      return last === undefined
        ? [[], []]
        : [
            [...times, now / 1000],
            [...values, last],
          ];
    });
  }

  #take(): void {
    const { values, connection } = feed.get();
    const now = Date.now();
    for (const course of this.#courses.values()) {
      const { node, group, name } = course.pick;
      const reading = values.get(groupKey(node, group))?.readings.get(name);
      const seen = connection.state === 'lost' ? 'lost' : reading;
      if (seen === course.last || seen === undefined) continue;
      course.last = seen;
      course.times.push(now / 1000);
      course.values.push(seen === 'lost' ? null : numberOf(reading?.value));
      const old = course.times.findIndex((time) => time * 1000 >= now - span);
      const drop = Math.max(old - 1, course.times.length - mostPoints, 0);
      course.times.splice(0, drop);
      course.values.splice(0, drop);
    }
  }
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  return null;
}
