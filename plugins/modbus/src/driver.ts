import {
  isFault,
  type Call,
  type Context,
  type Driver,
  type Fault,
  type Point,
  type Results,
  type Values,
  type Write,
} from '@tagway/sdk';
import { disconnected, noResponse, RefusalMemory } from '@tagway/sdk/link';
import { Cycle, type CycleParts } from './read/cycle.ts';
import { Exception, writeRefused } from './faults.ts';
import type { Link } from './link.ts';
import { Pace } from './pace.ts';
import { compilePlan, type Plan } from './read/plan.ts';
import { Traffic } from './traffic.ts';
import { Units } from './units.ts';
import { UnitWatch } from './unit-watch.ts';
import { sendWrite } from './write/request.ts';
import type { ModbusSettings } from './settings.ts';
import { planWrites, type WriteRequest } from './write/plan.ts';

/** Pause before a write is repeated that the device was too busy for, in milliseconds. */
const busyPause = 100;

/** One run of a Modbus node, above any link: TCP, UDP or serial makes no difference here. The runner makes and stops it. */
export class ModbusDriver implements Driver {
  readonly #context: Context<ModbusSettings>;
  readonly #link: Link;
  readonly #units: Units;
  readonly #pace: Pace;
  readonly #traffic: Traffic;
  readonly #parts: CycleParts;
  readonly #plans = new WeakMap<readonly Point[], Plan>();
  readonly #memories = new Map<number, RefusalMemory<Fault>>();

  constructor(context: Context<ModbusSettings>, link: Link) {
    const { clock, settings } = context;
    this.#context = context;
    this.#link = link;
    this.#units = new Units(settings);
    this.#pace = new Pace(settings.interval, clock);
    this.#traffic = new Traffic(link, this.#pace, this.#units, clock, () => watcher.makeCheck());
    const watcher = new UnitWatch(context, link, this.#units, this.#traffic);
    this.#parts = { link, clock, settings, units: this.#units, traffic: this.#traffic, watcher };
  }

  start(): Promise<void> {
    return this.#link.open();
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const plan = call.cause === 'test' ? this.#compile(points, true) : this.#planOf(points);
    if (!this.#traffic.isOpen) throw disconnected;
    await new Cycle(this.#parts, plan, into, call).run();
  }

  async write(writes: readonly Write[], into: Results, call: Call): Promise<void> {
    const requests = planWrites(writes, this.#context.settings, into);
    for (const request of requests) {
      const fault = await this.#send(request, call.signal);
      for (const index of request.indices) {
        if (fault === undefined) into.done(index);
        else into.fault(index, fault);
      }
    }
  }

  stop(): Promise<void> {
    return this.#link.close();
  }

  #planOf(points: readonly Point[]): Plan {
    const known = this.#plans.get(points);
    if (known !== undefined) return known;
    const plan = this.#compile(points, false);
    for (const { unit } of plan.units) this.#units.add(unit);
    this.#plans.set(points, plan);
    return plan;
  }

  /** A test read has a memory of its own: it changes nothing that production depends on. */
  #compile(points: readonly Point[], isTest: boolean): Plan {
    const memoryOf = isTest ? () => new RefusalMemory<Fault>() : (unit: number) => this.#memoryOf(unit);
    return compilePlan(points, this.#context.settings, memoryOf, isTest);
  }

  #memoryOf(unit: number): RefusalMemory<Fault> {
    const known = this.#memories.get(unit) ?? new RefusalMemory<Fault>();
    this.#memories.set(unit, known);
    return known;
  }

  /** Sends one write. It is repeated only after the exception "busy", which says that the device has done nothing. */
  async #send({ unit, pdu }: WriteRequest, signal: AbortSignal): Promise<Fault | undefined> {
    const { clock, settings } = this.#context;
    for (let tries = 0; ; tries++) {
      try {
        const exception = await sendWrite(this.#traffic, unit, pdu, signal);
        if (exception === 0) return undefined;
        if (exception === Exception.GATEWAY_PATH_UNAVAILABLE || exception === Exception.GATEWAY_TARGET_FAILED)
          return noResponse;
        if (exception !== Exception.SERVER_DEVICE_BUSY || tries >= Math.max(settings.max_retries, 1))
          return writeRefused(exception);
        await clock.sleep(Math.max(settings.retry_interval, busyPause), signal);
      } catch (error) {
        if (isFault(error)) return error;
        throw error;
      }
    }
  }
}
