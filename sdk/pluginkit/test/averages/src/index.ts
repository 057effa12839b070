import {
  type Call,
  type Context,
  driver,
  type Driver,
  formatReference,
  LinkState,
  type Point,
  referencesIn,
  type Values,
} from '@tagway/sdk';

/** Of each point the inputs that it is the average of. */
type Plan = readonly (readonly number[])[];

/** The average of tags of other nodes: `tag("boiler/fast/temperature"), tag("boiler/fast/return")`. */
class Averages implements Driver {
  readonly #context: Context;
  readonly #plans = new WeakMap<readonly Point[], Plan>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** There is no device. */
  async start(): Promise<void> {
    this.#context.link(LinkState.CONNECTED);
  }

  async read(points: readonly Point[], into: Values, { cause, inputs }: Call): Promise<void> {
    if (inputs === undefined) return;
    const plan = this.#planOf(points, inputs.references.map(formatReference));
    const fresh = new Set(inputs.fresh);
    for (const [index, operands] of plan.entries()) {
      // Of new values of inputs only the points that refer to them are about.
      if (cause === 'input' && !operands.some((input) => fresh.has(input))) continue;
      const failed = operands.find((input) => inputs.fault(input) !== undefined);
      const fault = failed === undefined ? undefined : inputs.fault(failed);
      if (fault !== undefined) {
        into.fault(index, fault);
        continue;
      }
      const sum = operands.reduce((total, input) => total + inputs.number(input), 0);
      into.number(index, sum / operands.length);
      into.stamp(index, Math.max(...operands.map((input) => inputs.time(input))));
    }
  }

  async stop(): Promise<void> {}

  #planOf(points: readonly Point[], inputs: readonly string[]): Plan {
    let plan = this.#plans.get(points);
    if (plan === undefined) {
      plan = points.map(({ address }) =>
        referencesIn(address).flatMap(({ reference }) =>
          reference === undefined ? [] : inputs.indexOf(formatReference(reference)),
        ),
      );
      this.#plans.set(points, plan);
    }
    return plan;
  }
}

export default driver({
  create: (context) => new Averages(context),
  // The runner refuses what is no reference, and the gateway one to nothing: neither is this plugin's business.
  checkTag: () => undefined,
});
