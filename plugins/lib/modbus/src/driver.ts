import type { Call, Context, Driver, Fault, Point, Results, Values, Write } from '@tagway/sdk';
import { disconnected, ReadPlans, RefusalMemory } from '@tagway/sdk/link';
import { compilePlan, type ReadPlan } from './plan.ts';
import { ReadPass, type ReadParts } from './read.ts';
import type { Session, SessionEvents } from './session.ts';
import type { ModbusSettings } from './settings.ts';
import { Traffic } from './traffic.ts';
import { Units } from './units.ts';
import { UnitWatch } from './unit-watch.ts';
import { planWrites, sendWrites } from './write.ts';

/** What the units refuse to read, by unit. */
type Memories = Map<number, RefusalMemory<Fault>>;

/** One run of a Modbus node, over any session: TCP, UDP or serial makes no difference here. The runner makes and stops it. */
export class ModbusDriver implements Driver {
  readonly #parts: ReadParts;
  readonly #plans: ReadPlans<ReadPlan, Memories>;

  constructor(context: Context<ModbusSettings>, connect: (events: SessionEvents) => Session) {
    const { clock, settings } = context;
    const units = new Units(settings);
    const traffic = new Traffic(connect, units, clock, settings.interval, () => watch.makeCheck());
    const watch: UnitWatch = new UnitWatch(context, units, traffic);
    this.#parts = { clock, settings, units, traffic, watch };
    this.#plans = new ReadPlans(
      (points, memories, isTest) => this.#compile(points, memories, isTest),
      () => new Map<number, RefusalMemory<Fault>>(),
    );
  }

  start(): Promise<void> {
    return this.#parts.traffic.session.link.open();
  }

  stop(): Promise<void> {
    return this.#parts.traffic.session.close();
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const plan = this.#plans.of(points, call);
    if (!this.#parts.traffic.isOpen) throw disconnected;
    await new ReadPass(this.#parts, plan, into, call).run();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    const { clock, settings, traffic } = this.#parts;
    await sendWrites(planWrites(writes, settings, into), { clock, settings, traffic, signal }, into);
  }

  #compile(points: readonly Point[], memories: Memories, isTest: boolean): ReadPlan {
    const { settings, units } = this.#parts;
    const memoryOf = (unit: number): RefusalMemory<Fault> => {
      const memory = memories.get(unit) ?? new RefusalMemory<Fault>();
      memories.set(unit, memory);
      return memory;
    };
    const plan = compilePlan(points, settings, memoryOf, isTest);
    if (!isTest) for (const { unit } of plan.units) units.add(unit);
    return plan;
  }
}
