import type { GroupConfig } from '../channel/protocol.ts';

/**
 * When apps get what of a group, by its `report`, `min_interval` and `max_interval`. Times are milliseconds since the epoch; a clock that is
 * set back ends a pause. A tick comes up to a tenth of the group's interval early without being too early.
 */
export class ReportPace {
  /** Whether tags without SUBSCRIBE and without a deadband are reported on change, too. */
  readonly isOnChange: boolean;
  readonly #isAlways: boolean;
  readonly #least: number;
  readonly #most: number;
  #reportedAt = -Infinity;
  #completeAt = -Infinity;

  constructor({ pace = {}, layout: { interval } }: Pick<GroupConfig, 'pace' | 'layout'>) {
    const { report, min_interval: least = 0, max_interval: most = 0 } = pace;
    this.isOnChange = report === 'change';
    this.#isAlways = report === 'always';
    this.#least = least - interval / 10;
    this.#most = most > 0 ? most - interval / 10 : Infinity;
  }

  /** Whether reports have a least distance. */
  get hasPause(): boolean {
    return this.#least > 0;
  }

  /** Apps get nothing yet. */
  isEarly(now: number): boolean {
    return this.hasPause && isWithin(now - this.#reportedAt, this.#least);
  }

  /** The next whole sample is due as a whole, whatever has changed. */
  isComplete(now: number): boolean {
    return this.#isAlways || !isWithin(now - this.#completeAt, this.#most);
  }

  /** Apps get something now; `isComplete`: of every tag. */
  note(now: number, isComplete: boolean): void {
    this.#reportedAt = now;
    if (isComplete) this.#completeAt = now;
  }
}

function isWithin(elapsed: number, limit: number): boolean {
  return elapsed >= 0 && elapsed < limit;
}
