import type { Method } from './client.ts';

/** A question to the API and what the gateway that wrote the folder answered. */
export interface Recorded {
  readonly method: Method;
  readonly path: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** What lies beside the data folder in a fixture, as `recorded.json`. */
export interface DataFixture {
  /** Which gateway wrote it. */
  readonly version: string;
  readonly revision: string;
  /** The password of admin. */
  readonly password: string;
  readonly recorded: readonly Recorded[];
}

/** Names of the folder and the file in a fixture's archive. */
export const folderInside = 'data';
export const recordInside = 'recorded.json';

/**
 * Whether what is told now has all that was told then. There may be more: members of objects, and entries of lists whose entries have
 * names. Returns the first place that differs, or undefined.
 */
export function missing(then: unknown, now: unknown, place = 'body'): string | undefined {
  if (Array.isArray(then)) {
    if (!Array.isArray(now)) return `${place} is no list`;
    for (const [index, one] of then.entries()) {
      const name = (one as { name?: unknown } | null)?.name;
      const other: unknown =
        typeof name === 'string'
          ? now.find((candidate: { name?: unknown }) => candidate.name === name)
          : (now as unknown[])[index];
      const found = missing(one, other, `${place}[${typeof name === 'string' ? name : index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (typeof then === 'object' && then !== null) {
    if (typeof now !== 'object' || now === null) return `${place} is not there`;
    for (const [key, value] of Object.entries(then)) {
      const found = missing(value, (now as Record<string, unknown>)[key], `${place}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(then, now) ? undefined : `${place} was ${String(then)} and is ${String(now)}`;
}
