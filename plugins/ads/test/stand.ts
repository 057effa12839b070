import { setTimeout as sleep } from 'node:timers/promises';
import {
  isFault,
  type Call,
  type Context,
  type DataType,
  type Driver,
  type Fault,
  type LinkReport,
  type Point,
  type Value,
  type Values,
} from '@tagway/sdk';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import { Simulator } from './simulator.ts';

const definition = plugin as unknown as { create(context: Context<Settings>): Driver };

/** What a point has after a reading: its value, or "fault CODE". */
export type Reading = Value;

export function settingsFor(port: number, changes: Partial<Settings> = {}): Settings {
  return {
    ...{ host: '127.0.0.1', port, timeout: 500, max_in_flight: 4, max_items: 500 },
    ...{ src_ams_net_id: '10.0.0.1.1.1', src_ams_port: 851 },
    ...{ dst_ams_net_id: '5.23.91.10.1.1', dst_ams_port: 851 },
    ...changes,
  };
}

export function pointsOf(...tags: readonly (readonly [address: string, type: DataType])[]): readonly Point[] {
  return Object.freeze(
    tags.map(([address, type], index) => ({ name: `tag${index}`, address, type, attribute: 3 })),
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

/** A driver, its controller, and what the driver told the gateway. */
export class Stand implements AsyncDisposable {
  readonly links: { readonly state: number; readonly report: LinkReport }[] = [];
  readonly counts = new Map<string, number>();
  readonly faults: Fault[] = [];
  readonly notices: string[] = [];
  /** Added to the clock of the driver. */
  later = 0;
  readonly device: Simulator;
  readonly driver: Driver;

  private constructor(device: Simulator, settings: Settings) {
    this.device = device;
    this.driver = definition.create(this.#context(settings));
  }

  static async open(prepare: (device: Simulator) => void = () => undefined, changes: Partial<Settings> = {}) {
    const device = new Simulator();
    prepare(device);
    const port = await device.listen();
    const stand = new Stand(device, settingsFor(port, changes));
    await stand.driver.start();
    return stand;
  }

  /** One reading; a read that rejects with a fault gives it to every point. */
  async read(points: readonly Point[], cause?: Call['cause']): Promise<(Reading | undefined)[]> {
    const readings = new Map<number, Reading>();
    const set = (index: number, reading: Reading): void => {
      if (readings.has(index)) throw new Error(`The driver said two things of point ${index}.`);
      readings.set(index, reading);
    };
    const into: Values = {
      number: set,
      integer: set,
      text: set,
      bytes: (index, value) => set(index, Uint8Array.from(value)),
      fault: (index, fault) => {
        this.faults.push(fault);
        set(index, `fault ${fault.code}`);
      },
      stamp: () => undefined,
    };
    try {
      await this.driver.read(points, into, callOf(cause));
    } catch (error) {
      if (!isFault(error)) throw error;
      return points.map(() => `fault ${error.code}`);
    }
    return points.map((_, index) => readings.get(index));
  }

  /** Writes; entry `i` is the code of the fault of write `i`, 0 when it was confirmed. */
  async write(points: readonly Point[], values: readonly Value[]): Promise<(number | undefined)[]> {
    const results = new Map<number, number>();
    const into = {
      done: (index: number) => void results.set(index, 0),
      fault: (index: number, fault: Fault) => {
        this.faults.push(fault);
        results.set(index, fault.code);
      },
    };
    const writes = points.map((point, index) => ({ point, value: values[index] as Value }));
    await this.driver.write?.(writes, into, callOf('demand'));
    return writes.map((_, index) => results.get(index));
  }

  get reason(): string {
    return this.links.findLast(({ report }) => report.reason !== undefined)?.report.reason ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.driver.stop(AbortSignal.timeout(5000));
    await this.device[Symbol.asyncDispose]();
  }

  #context(settings: Settings): Context<Settings> {
    const ignore = (): void => undefined;
    return {
      node: 'plant',
      settings,
      log: {
        debug: ignore,
        info: ignore,
        notice: (text) => void this.notices.push(text),
        warn: ignore,
        error: ignore,
      },
      clock: {
        now: () => Date.now(),
        monotonic: () => performance.now() + this.later,
        sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
        timer: (ms, callback) => {
          const timer = setTimeout(callback, ms);
          return { [Symbol.dispose]: () => clearTimeout(timer) };
        },
      },
      dataDir: '/nonexistent',
      signal: new AbortController().signal,
      link: (state, report = {}) => void this.links.push({ state, report }),
      rtt: ignore,
      count: (name, add) => void this.counts.set(name, (this.counts.get(name) ?? 0) + add),
      gauge: ignore,
      exclusive: (_key, work) => work(),
    };
  }
}
