import type { Call, Driver } from '../driver.ts';
import type { Point } from '../point.ts';
import type { Values } from '../results.ts';
import type { Link } from './link.ts';
import type { PointFault, ReadPlans } from './plan/read-plans.ts';

/** The part that every plan for reading a group has. */
export interface PointPlan {
  readonly invalid: readonly PointFault[];
}

/**
 * The common part of all drivers on a link. A driver adds how a plan is read, and `write` and `browse` where its protocol has them; these
 * begin with `link.requireSession()`.
 * @experimental May change until more drivers have used it.
 */
export abstract class LinkDriver<Session, Plan extends PointPlan> implements Driver {
  protected abstract readonly link: Link<Session>;
  protected abstract readonly plans: Pick<ReadPlans<Plan>, 'of'>;

  start(): Promise<void> {
    return this.link.open();
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.link.close(signal);
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const plan = this.plans.of(points, call);
    for (const { index, fault } of plan.invalid) into.fault(index, fault);
    await this.readPlan(plan, into, call, this.link.requireSession());
  }

  /** Reads all points of a plan that are not invalid, while the link is up; as `Driver.read`. */
  protected abstract readPlan(plan: Plan, into: Values, call: Call, session: Session): Promise<void>;
}
