import { feed } from '../live/feed.ts';

/** Points that are kept of a tag. */
const most = 60;
/** Milliseconds between two points. */
const step = 5000;

/**
 * The last five minutes of the tags that were in sight since the page of live values was opened, for the small lines of its rows. A tag
 * that is out of sight has a gap.
 */
export class RecentValues {
  readonly #lines = new Map<string, (number | null)[]>();
  readonly #listeners = new Set<() => void>();

  /** Takes a point every five seconds until the returned function is called. */
  start(): () => void {
    const timer = setInterval(() => this.#take(), step);
    return () => clearInterval(timer);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The points of a tag, the oldest first; the same array until there is a new point. */
  get(groupKey: string, tag: string): readonly (number | null)[] | undefined {
    return this.#lines.get(`${groupKey}\n${tag}`);
  }

  #take(): void {
    const { values, connection } = feed.get();
    const seen = new Set<string>();
    for (const [group, { tagValues }] of values)
      for (const [tag, { value }] of tagValues) {
        const key = `${group}\n${tag}`;
        seen.add(key);
        this.#add(key, connection.state === 'lost' ? null : numberOf(value));
      }
    for (const [key, points] of this.#lines) {
      if (seen.has(key)) continue;
      if (points.every((point) => point === null)) this.#lines.delete(key);
      else this.#add(key, null);
    }
    for (const listener of this.#listeners) listener();
  }

  #add(key: string, point: number | null): void {
    this.#lines.set(key, [...(this.#lines.get(key) ?? []), point].slice(-most));
  }
}

/** A value as a number of a curve; null where it is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  return null;
}
