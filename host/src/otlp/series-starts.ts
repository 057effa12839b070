/**
 * When the counting of each series began, so that a collector does not take a counter that fell for one that ran backwards: a plugin that was
 * started again counts from 0.
 */
export class SeriesStarts {
  #known = new Map<string, { readonly value: number; readonly start: number }>();
  #next = new Map<string, { readonly value: number; readonly start: number }>();
  #before: number;

  /** `begin`: milliseconds since the epoch when the counting of all began. */
  constructor(begin: number) {
    this.#before = begin;
  }

  /** Of a series at this time of collecting. One that is new or has fallen began after the last time. */
  of(series: string, value: number): number {
    const known = this.#known.get(series);
    const start = known === undefined || value < known.value ? this.#before : known.start;
    this.#next.set(series, { value, start });
    return start;
  }

  /** Ends a time of collecting; series that were not asked for are forgotten. */
  collected(now: number): void {
    this.#known = this.#next;
    this.#next = new Map();
    this.#before = now;
  }
}
