import { ErrorCode } from '@tagway/schemas';
import type { Emit, Watch } from '../driver.ts';
import { Fault } from '../fault.ts';
import type { Outcome, Point } from '../point.ts';

const notReady = new Fault(ErrorCode.NOT_READY);
const none: readonly never[] = Object.freeze([]);

/** The latest outcomes of the points of one group, which its driver pushes except for those it leaves to polling. */
export class Watched {
  readonly outcomes: Outcome[];
  readonly #points: readonly Point[];
  #watch: Watch | undefined;
  #settled = false;
  #polled: readonly number[] = none;
  #isPolled: ReadonlySet<number> = new Set();
  #polledPoints: readonly Point[] = none;

  constructor(points: readonly Point[]) {
    this.#points = points;
    this.outcomes = new Array<Outcome>(points.length).fill(notReady);
  }

  /** Takes what the driver reports. */
  readonly emit: Emit = (indices, fresh) => {
    const { outcomes } = this;
    for (let at = 0; at < indices.length; at++) {
      const index = indices[at] as number;
      if (index >= 0 && index < outcomes.length) outcomes[index] = fresh[at] ?? notReady;
    }
  };

  /** The watch has begun. */
  begin(watch: Watch): void {
    this.#watch = watch;
  }

  async end(): Promise<void> {
    await this.#watch?.[Symbol.asyncDispose]();
  }

  /** What is to be read at a tick, the same array until it changes: nothing when all points are pushed. */
  get due(): readonly Point[] {
    const polled = this.#watch?.polled ?? none;
    if (polled !== this.#polled) {
      this.#polled = polled;
      this.#isPolled = new Set(polled);
      this.#polledPoints = Object.freeze(
        polled.map((index) => this.#points[index]).filter((point) => point !== undefined),
      );
    }
    this.#settled ||= !this.outcomes.some(
      (outcome, index) => outcome === notReady && !this.#isPolled.has(index),
    );
    return this.#settled ? this.#polledPoints : this.#points;
  }

  /** Takes the outcomes of `points`, which `due` gave, and returns the outcomes of the whole group. */
  merge(points: readonly Point[], outcomes: readonly Outcome[]): readonly Outcome[] {
    if (points !== this.#polledPoints) return outcomes;
    this.emit(this.#polled, outcomes);
    return this.outcomes;
  }
}
