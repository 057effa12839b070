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
import { Cycle } from './read/cycle.ts';
import { disconnected, noResponse } from '@tagway/sdk/link';
import { Exception, writeRefused } from './faults.ts';
import type { Link } from './link.ts';
import { Pace } from './pace.ts';
import { compilePlan, type Plan } from './read/plan.ts';
import { RefusalMemory } from './read/refusal-memory.ts';
import { SilentUnits } from './read/silent-units.ts';
import { sendWrite } from './write/request.ts';
import type { ModbusSettings } from './settings.ts';
import { planWrites, type WriteRequest } from './write/plan.ts';

/** Pause before a write is repeated that the device was too busy for, in milliseconds. */
const busyPause = 100;

/** One run of a Modbus node, above any link: TCP, UDP or serial makes no difference here. The runner makes and stops it. */
export class ModbusDriver implements Driver {
  readonly #context: Context<ModbusSettings>;
  readonly #link: Link;
  readonly #silentUnits: SilentUnits;
  readonly #pace: Pace;
  readonly #plans = new WeakMap<readonly Point[], Plan>();
  #cycle: Cycle | undefined;
  readonly #memories = new Map<number, RefusalMemory>();

  constructor(context: Context<ModbusSettings>, link: Link) {
    this.#context = context;
    this.#link = link;
    this.#silentUnits = new SilentUnits(context.settings);
    this.#pace = new Pace(context.settings.interval);
    link.onDown = () => this.#cycle?.cancel(disconnected);
  }

  start(): Promise<void> {
    return this.#link.open();
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const plan = call.cause === 'test' ? this.#compile(points, true) : this.#planOf(points);
    if (!this.#link.up) throw disconnected;
    const { clock, log, settings } = this.#context;
    const parts = {
      link: this.#link,
      clock,
      log,
      settings,
      silentUnits: this.#silentUnits,
      pace: this.#pace,
    };
    this.#cycle = new Cycle(parts, plan, into, call);
    await this.#cycle.run();
  }

  async write(writes: readonly Write[], into: Results, call: Call): Promise<void> {
    const requests = planWrites(writes, this.#context.settings, into);
    const either = AbortSignal.any([call.signal, this.#context.signal]);
    for (const request of requests) {
      const fault = await this.#send(request, either);
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
    const known = this.#plans.get(points) ?? this.#compile(points, false);
    this.#plans.set(points, known);
    return known;
  }

  #compile(points: readonly Point[], isTest: boolean): Plan {
    return compilePlan(points, this.#context.settings, (unit) => this.#memoryOf(unit), isTest);
  }

  #memoryOf(unit: number): RefusalMemory {
    const known = this.#memories.get(unit) ?? new RefusalMemory();
    this.#memories.set(unit, known);
    return known;
  }

  /** Sends one write. It is repeated only after the exception "busy", which says that the device has done nothing. */
  async #send({ unit, pdu }: WriteRequest, signal: AbortSignal): Promise<Fault | undefined> {
    const { clock, settings } = this.#context;
    for (let tries = 0; ; tries++) {
      const wait = this.#pace.wait;
      if (wait > 0) await clock.sleep(wait, signal);
      if (!this.#link.up) return disconnected;
      try {
        this.#pace.used();
        const exception = await sendWrite(this.#link, unit, pdu, signal);
        if (exception === 0) return undefined;
        if (exception === Exception.GATEWAY_PATH_UNAVAILABLE || exception === Exception.GATEWAY_TARGET_FAILED)
          return noResponse;
        if (exception !== Exception.SERVER_DEVICE_BUSY || tries >= Math.max(settings.max_retries, 1))
          return writeRefused(exception);
        await clock.sleep(Math.max(settings.retry_interval, busyPause), signal);
      } catch (error) {
        if (isFault(error)) return error;
        throw error;
      } finally {
        this.#pace.used();
      }
    }
  }
}
