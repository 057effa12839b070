import type { Call } from '../../driver.ts';
import { isFault, type Fault } from '../../fault.ts';
import type { Point } from '../../point.ts';

/** A point of a group that has a fault instead of a value. */
export interface PointFault {
  /** Index of the point in its group. */
  readonly index: number;
  readonly fault: Fault;
}

/** Makes an item of every point; `invalid` are the points that cannot be read, such as those whose address is wrong. */
export function parsePoints<Item>(
  points: readonly Point[],
  parse: (point: Point, index: number) => Item | Fault,
): { readonly items: Item[]; readonly invalid: readonly PointFault[] } {
  const items: Item[] = [];
  const invalid: PointFault[] = [];
  for (const [index, point] of points.entries()) {
    const item = parse(point, index);
    if (isFault(item)) invalid.push({ index, fault: item });
    else items.push(item);
  }
  return { items, invalid };
}

/**
 * The plans by which a driver reads its groups: each is compiled once and kept as long as the points of its group. All share one memory of
 * what the device has refused or left unanswered. A test read has a plan and a memory of its own, so it changes nothing for the groups.
 * @experimental May change until more drivers have used it.
 */
export class ReadPlans<Plan, Memory = undefined> {
  /** What all plans but those of test reads share. */
  readonly memory: Memory;
  readonly #compile: (points: readonly Point[], memory: Memory, isTest: boolean) => Plan;
  readonly #newMemory: () => Memory;
  readonly #plans = new WeakMap<readonly Point[], Plan>();

  constructor(
    compile: (points: readonly Point[], memory: Memory, isTest: boolean) => Plan,
    newMemory: () => Memory = () => undefined as Memory,
  ) {
    this.memory = newMemory();
    this.#compile = compile;
    this.#newMemory = newMemory;
  }

  /** The plan for the points of a call of `read`. */
  of(points: readonly Point[], { cause, asTag }: Pick<Call, 'cause' | 'asTag'>): Plan {
    if (cause === 'test') return this.#compile(points, this.#newMemory(), asTag !== true);
    let plan = this.#plans.get(points);
    if (plan === undefined) {
      plan = this.#compile(points, this.memory, false);
      this.#plans.set(points, plan);
    }
    return plan;
  }
}
