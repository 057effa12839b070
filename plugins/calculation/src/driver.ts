import { ErrorCode, Fault, LinkState } from '@tagway/sdk';
import type {
  Call,
  Driver,
  DriverContext,
  Inputs,
  Point,
  Results,
  TagWrite,
  Values,
  Write,
  Writer,
} from '@tagway/sdk';
import { inverseOf } from './inverse.ts';
import { KeptStates } from './kept-states.ts';
import { Plan } from './plan.ts';
import type { Settings } from './settings.ts';

const unwritable = new Fault(
  ErrorCode.WRITE_FAILED,
  'The expression does not stand for one other tag that could be written.',
);

/** Tags that are calculated from other tags. */
export class CalculationDriver implements Driver {
  readonly #context: DriverContext<Settings>;
  readonly #plans = new WeakMap<readonly Point[], Plan>();
  readonly #states: KeptStates;
  #saving: Disposable | undefined;

  constructor(context: DriverContext<Settings>) {
    this.#context = context;
    this.#states = new KeptStates(context);
  }

  async start(): Promise<void> {
    await this.#states.open();
    this.#saveLater();
    this.#context.link(LinkState.CONNECTED);
  }

  async read(points: readonly Point[], into: Values, { cause, inputs }: Call): Promise<void> {
    if (cause === 'test') return this.#test(points, into, inputs);
    const plan = this.#planOf(points, inputs);
    if (cause !== 'input') plan.tick(inputs, this.#context.clock.now(), into);
    else if (inputs !== undefined)
      plan.arrive(inputs, this.#context.settings.evaluate === 0 ? into : undefined);
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    const byWriter = new Map<string, { by: Writer | undefined; places: number[]; writes: TagWrite[] }>();
    for (const [index, write] of writes.entries()) {
      const there = this.#there(write);
      if (there === undefined) {
        into.fault(index, unwritable);
        continue;
      }
      const { by } = write;
      const key = by === undefined ? '' : `${by.kind} ${by.name}`;
      const batch = byWriter.get(key) ?? { by, places: [], writes: [] };
      byWriter.set(key, batch);
      batch.places.push(index);
      batch.writes.push(there);
    }
    for (const { by, places, writes: batch } of byWriter.values()) {
      const faults = await this.#context.write(batch, by === undefined ? { signal } : { by, signal });
      for (const [entry, index] of places.entries()) {
        const fault = faults[entry];
        if (fault === undefined) into.done(index);
        else into.fault(index, fault);
      }
    }
  }

  async stop(): Promise<void> {
    this.#saving?.[Symbol.dispose]();
    await this.#states.save();
  }

  #planOf(points: readonly Point[], inputs: Inputs | undefined): Plan {
    let plan = this.#plans.get(points);
    if (plan === undefined) {
      plan = new Plan(points, inputs);
      // Types first: a state goes on only where its function is compiled.
      if (inputs !== undefined) plan.load(inputs);
      for (const tag of plan.tags) this.#states.take(tag);
      this.#plans.set(points, plan);
    }
    return plan;
  }

  /** Calculates without adding: a running tag of the same expression lends its state and keeps it as it is. */
  #test(points: readonly Point[], into: Values, inputs: Inputs | undefined): void {
    const plan = new Plan(points, inputs);
    if (inputs !== undefined) plan.load(inputs);
    for (const tag of plan.tags) {
      const running = this.#states.withAddress(tag.point.address);
      if (running !== undefined) tag.expression.adopt(running.expression);
    }
    plan.tick(inputs, this.#context.clock.now(), into);
  }

  /** The write to the tag that the written one stands for. */
  #there({ point, value }: Write): TagWrite | undefined {
    const inverse = inverseOf(point.address);
    if (inverse === undefined) return undefined;
    const { target, toTarget } = inverse;
    const { node: driver, group, tag } = target;
    if (toTarget === undefined) return { driver, group, tag, value };
    const there = toTarget(Number(value));
    const [input] = this.#states.tag(point.id)?.expression.inputs ?? [];
    // A whole number is written where the target has one.
    const isWhole = input !== undefined && input.kind !== 'double' && input.kind !== 'unknown';
    return { driver, group, tag, value: isWhole ? Math.round(there) : there };
  }

  #saveLater(): void {
    const { clock, settings } = this.#context;
    this.#saving = clock.timer(settings.save_interval * 1000, () => {
      void this.#states.save().then(() => {
        if (!this.#context.signal.aborted) this.#saveLater();
      });
    });
  }
}
