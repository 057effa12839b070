import { setTimeout as sleep } from 'node:timers/promises';
import {
  Attribute,
  DataType,
  isFault,
  type Call,
  type Context,
  type Driver,
  type Fault,
  type LinkReport,
  type LinkState,
  type Point,
  type Value,
  type Values,
} from '@tagway/sdk';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import { Simulator } from './simulator.ts';

/** What a driver has told its context. */
export interface Record {
  readonly links: { readonly state: LinkState; readonly report: LinkReport }[];
  readonly counts: Map<string, number>;
  readonly logs: string[];
  /** Added to the time that the driver sees. */
  later: number;
  /** Makes what the driver waits for, such as the next attempt to connect, come within 50 ms, and cuts pauses of up to 10 s to 400 ms. */
  hurry: boolean;
}

/** What a point has after a reading: its value, or its fault. */
export type Reading = Value | Fault;

const definition = plugin as unknown as { create(context: Context<Settings>): Driver };

/** The settings of a node on this machine, with the schema's defaults and a short timeout. */
export function settingsFor(port: number, changes: Partial<Settings> = {}): Settings {
  return {
    host: '127.0.0.1',
    port,
    device_id: 4_194_303,
    timeout: 500,
    retries: 2,
    max_in_flight: 4,
    write_priority: 16,
    cov: 2,
    cov_lifetime: 300,
    network: 0,
    mac: '',
    local_port: 0,
    broadcast: '127.0.0.1',
    discovery_port: 0,
    bbmd_host: '',
    bbmd_port: 47_808,
    bbmd_ttl: 300,
    ...changes,
  };
}

const all = Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE;

/** Points from pairs of address and type; FLOAT when the type is left out. */
export function pointsOf(...tags: readonly (string | readonly [string, DataType])[]): readonly Point[] {
  return Object.freeze(
    tags.map((tag, index) => {
      const [address, type] = typeof tag === 'string' ? [tag, DataType.FLOAT] : tag;
      return {
        name: `tag${index}`,
        address,
        type,
        attribute: address.includes('NULL') ? Attribute.WRITE : all,
      };
    }),
  );
}

export function callOf(cause: Call['cause'] = 'poll', signal = new AbortController().signal): Call {
  return { cause, signal };
}

/** Waits until something holds, for ten seconds at most. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; await sleep(5))
    if (await holds()) return;
  throw new Error(`It did not come about within 10 s that ${what}.`);
}

/** Takes the values of one reading, and holds the driver to saying what each point has no more than once. */
export class ReadingLog implements Values {
  readonly readings: (Reading | undefined)[] = [];
  readonly repeated: number[] = [];

  number(index: number, value: number): void {
    this.#set(index, value);
  }

  integer(index: number, value: bigint): void {
    this.#set(index, value);
  }

  text(index: number, value: string): void {
    this.#set(index, value);
  }

  bytes(index: number, value: Uint8Array): void {
    this.#set(index, Uint8Array.from(value));
  }

  fault(index: number, fault: Fault): void {
    this.#set(index, fault);
  }

  stamp(index: number): void {
    throw new Error(`A reading knows neither source time nor quality, but point ${index} was given one.`);
  }

  #set(index: number, reading: Reading): void {
    if (this.readings[index] !== undefined) this.repeated.push(index);
    this.readings[index] = reading;
  }
}

/** A started driver, and what it told its context. Disposing of it stops it. */
export class Plant implements AsyncDisposable {
  readonly driver: Driver;
  readonly record: Record = { links: [], counts: new Map(), logs: [], later: 0, hurry: false };

  constructor(settings: Settings) {
    this.driver = definition.create(contextOf(settings, this.record));
  }

  static async start(port: number, changes: Partial<Settings> = {}): Promise<Plant> {
    const plant = new Plant(settingsFor(port, changes));
    await plant.driver.start();
    return plant;
  }

  get link(): LinkState | undefined {
    return this.record.links.at(-1)?.state;
  }

  /** Reads once; a reading that rejects with a fault gives it to every point that has nothing. */
  async read(points: readonly Point[], cause?: Call['cause']): Promise<Reading[]> {
    const log = new ReadingLog();
    let rest: Fault | undefined;
    try {
      await this.driver.read(points, log, callOf(cause));
    } catch (error) {
      if (!isFault(error)) throw error;
      rest = error;
    }
    if (log.repeated.length > 0) throw new Error(`These points were set twice: ${log.repeated.join(', ')}.`);
    return points.map((_, index) => {
      const reading = log.readings[index] ?? rest;
      if (reading === undefined) throw new Error(`The driver said nothing of point ${index}.`);
      return reading;
    });
  }

  /** As `read`, with the codes of faults in place of them. */
  async values(points: readonly Point[], cause?: Call['cause']): Promise<(Value | string)[]> {
    return (await this.read(points, cause)).map(shown);
  }

  /** Writes; entry `i` is undefined when write `i` was confirmed, its fault otherwise. A rejection is the fault of what has no result. */
  async write(
    points: readonly Point[],
    values: readonly Value[],
    signal?: AbortSignal,
  ): Promise<(Fault | undefined)[]> {
    const results = new Map<number, Fault | undefined>();
    const set = (index: number, fault: Fault | undefined): void => {
      if (results.has(index)) throw new Error(`Write ${index} has two results.`);
      results.set(index, fault);
    };
    const writes = points.map((point, index) => ({ point, value: values[index] as Value }));
    const into = { done: (index: number) => set(index, undefined), fault: set };
    let rest: Fault | undefined;
    try {
      await this.driver.write?.(writes, into, callOf('demand', signal));
    } catch (error) {
      if (!isFault(error)) throw error;
      rest = error;
    }
    return points.map((_, index) => {
      if (rest !== undefined && !results.has(index)) return rest;
      if (!results.has(index)) throw new Error(`Write ${index} has no result.`);
      return results.get(index);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.driver.stop(AbortSignal.timeout(5000));
  }
}

/** `fault CODE` for a fault. */
export function shown(reading: Reading): Value | string {
  return isFault(reading) ? `fault ${reading.code}` : reading;
}

/** A simulator and a driver of it, which is connected. */
export async function withPlant(
  work: (plant: Plant, device: Simulator) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (device: Simulator) => void = () => undefined,
): Promise<void> {
  await using device = new Simulator();
  prepare(device);
  await device.listen();
  await using plant = await Plant.start(device.port, changes);
  await work(plant, device);
}

function contextOf(settings: Settings, record: Record): Context<Settings> {
  const log = (message: string): void => void record.logs.push(message);
  return {
    node: 'boiler',
    settings,
    log: { debug: log, info: log, notice: log, warn: log, error: log },
    clock: {
      now: () => Date.now() + record.later,
      monotonic: () => performance.now() + record.later,
      sleep: (ms, signal) =>
        sleep(
          record.hurry && ms <= 10_000 ? Math.min(ms, 400) : ms,
          undefined,
          signal === undefined ? {} : { signal },
        ),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, record.hurry ? Math.min(ms, 50) : ms);
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
    dataDir: '/nonexistent',
    signal: new AbortController().signal,
    link: (state, report = {}) => void record.links.push({ state, report }),
    rtt: () => undefined,
    count: (name, add) => void record.counts.set(name, (record.counts.get(name) ?? 0) + add),
    gauge: () => undefined,
    exclusive: (_key, work) => work(),
  };
}
