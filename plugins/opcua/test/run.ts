import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileSettings } from '@tagway/schemas/validate';
import {
  type Call,
  type Context,
  type DataType,
  type Fault,
  isFault,
  type LinkReport,
  type LinkState,
  type Point,
  type Report,
  type Results,
  type Write,
} from '@tagway/sdk';
import { OpcUaDriver } from '../src/driver.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };

const compiled = compileSettings(schema);

/** Settings as the host hands them to a plugin; throws what the schema refuses. */
export function settingsOf(params: Record<string, unknown>): Settings {
  const result = compiled(params);
  if ('message' in result) throw new Error(result.message);
  return result.settings as unknown as Settings;
}

/** Waits until something holds; fails after fifteen seconds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited in vain until ${what}.`);
    await sleep(20);
  }
}

/** Points of namespace 1 from pairs of the rest of the address and type. */
export function pointsOf(
  ...tags: readonly (readonly [string, DataType, attribute?: number])[]
): readonly Point[] {
  return Object.freeze(
    tags.map(([address, type, attribute = 3], index) => ({ name: `tag${index}`, address, type, attribute })),
  );
}

/** Takes values as tests compare them: faults as their codes, BOOL as 0 or 1. */
export class Taken implements Report {
  readonly latest: unknown[];
  /** All values of all points in the order in which they came, as index and value. */
  readonly history: (readonly [index: number, value: unknown])[] = [];
  readonly faults: (Fault | undefined)[];
  readonly times: number[];
  readonly qualities: number[];
  sends = 0;
  readonly drained = Promise.resolve();

  constructor(count: number) {
    this.latest = new Array<unknown>(count).fill(undefined);
    this.faults = new Array<Fault | undefined>(count).fill(undefined);
    this.times = new Array<number>(count).fill(NaN);
    this.qualities = new Array<number>(count).fill(0);
  }

  #put(index: number, value: unknown, fault?: Fault): void {
    this.latest[index] = value;
    this.history.push([index, value]);
    this.faults[index] = fault;
    this.times[index] = NaN;
    this.qualities[index] = 0;
  }

  number(index: number, value: number): void {
    this.#put(index, value);
  }

  integer(index: number, value: bigint): void {
    this.#put(index, value);
  }

  text(index: number, value: string): void {
    this.#put(index, value);
  }

  bytes(index: number, value: Uint8Array): void {
    this.#put(index, value);
  }

  fault(index: number, fault: Fault): void {
    this.#put(index, fault.code, fault);
  }

  stamp(index: number, time: number, quality = 0): void {
    this.times[index] = time;
    this.qualities[index] = quality;
  }

  send(): boolean {
    this.sends++;
    return true;
  }

  /** All values that one point had, in order. */
  of(index: number): unknown[] {
    return this.history.filter(([of]) => of === index).map(([, value]) => value);
  }
}

/** What writes came to: 0 for done, otherwise the code; undefined when nothing was said. */
export class Written implements Results {
  readonly codes: (number | undefined)[];

  constructor(count: number) {
    this.codes = new Array<number | undefined>(count).fill(undefined);
  }

  done(index: number): void {
    this.codes[index] = 0;
  }

  fault(index: number, fault: Fault): void {
    this.codes[index] = fault.code;
  }
}

/** A call as the runner makes it. */
export function callOf(signal: AbortSignal = new AbortController().signal): Call {
  return { signal, cause: 'poll' };
}

export interface Watched {
  readonly taken: Taken;
  readonly latest: readonly unknown[];
  readonly polled: readonly number[];
  end(): Promise<void>;
}

/** One run of an OPC UA node. */
export class Run implements AsyncDisposable {
  readonly driver: OpcUaDriver;
  readonly links: LinkState[] = [];
  /** What was said with each of them, repeated ones too. */
  readonly reports: LinkReport[] = [];
  readonly counts = new Map<string, number>();
  /** Lines from notice upwards. */
  readonly lines: string[] = [];
  readonly debugLines: string[] = [];
  readonly folder: string;
  /** How many times faster than real the node's waits pass. */
  haste = 1;
  readonly #end = new AbortController();
  readonly #ownsFolder: boolean;
  #stopped = false;

  constructor(params: Record<string, unknown>, folder?: string) {
    this.#ownsFolder = folder === undefined;
    this.folder = folder ?? mkdtempSync(join(tmpdir(), 'tagway-opcua-'));
    this.driver = new OpcUaDriver(this.#context(settingsOf(params)));
  }

  /** Starts a run and waits for its session. */
  static async connected(params: Record<string, unknown>, folder?: string): Promise<Run> {
    const run = new Run(params, folder);
    try {
      await run.driver.start();
      await until('there is a session', () => run.isUp);
    } catch (error) {
      await run[Symbol.asyncDispose]();
      throw new Error(`There is no session:\n${run.lines.join('\n')}`, { cause: error });
    }
    return run;
  }

  get isUp(): boolean {
    return this.links.at(-1) === 2;
  }

  /** Reads points; a read that fails as a whole is its code. */
  async read(points: readonly Point[]): Promise<unknown> {
    const taken = await this.take(points);
    return isFault(taken) ? taken.code : taken.latest;
  }

  /** Reads points; a read that fails as a whole is its fault. */
  async take(points: readonly Point[]): Promise<Taken | Fault> {
    const taken = new Taken(points.length);
    try {
      await this.driver.read(points, taken, callOf());
      return taken;
    } catch (error) {
      if (isFault(error)) return error;
      throw error;
    }
  }

  async writeAll(writes: readonly Write[]): Promise<(number | undefined)[]> {
    const written = new Written(writes.length);
    await this.driver.write(writes, written, callOf());
    return written.codes;
  }

  async write(point: Point, value: Write['value']): Promise<unknown> {
    try {
      return (await this.writeAll([{ point, value }]))[0];
    } catch (error) {
      if (isFault(error)) return error.code;
      throw error;
    }
  }

  watch(points: readonly Point[]): Watched {
    const taken = new Taken(points.length);
    const watch = this.driver.watch?.(points, taken);
    if (watch === undefined) throw new Error('The driver does not watch.');
    return {
      taken,
      latest: taken.latest,
      get polled() {
        return watch.polled ?? [];
      },
      end: async () => watch[Symbol.asyncDispose](),
    };
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#end.abort();
    await this.driver.stop(AbortSignal.timeout(5_000));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true });
  }

  #context(settings: Settings): Context<Settings> {
    const line = (message: string): void => void this.lines.push(message);
    return {
      node: 'plant 1/ä',
      settings,
      log: {
        debug: (message) => void this.debugLines.push(message),
        info: line,
        notice: line,
        warn: line,
        error: (message, fields) => line(`${message} ${JSON.stringify(fields ?? {})}`),
      },
      clock: {
        now: () => Date.now(),
        monotonic: () => performance.now(),
        sleep: (ms, signal) => sleep(ms / this.haste, undefined, signal ? { signal } : {}),
        timer: (ms, callback) => {
          const timer = setTimeout(callback, ms / this.haste);
          return { [Symbol.dispose]: () => clearTimeout(timer) };
        },
      },
      dataDir: this.folder,
      signal: this.#end.signal,
      link: (state, report = {}) => {
        if (this.links.at(-1) !== state) this.links.push(state);
        this.reports.push(report);
      },
      rtt: () => undefined,
      count: (name, add) => void this.counts.set(name, (this.counts.get(name) ?? 0) + add),
      gauge: () => undefined,
      exclusive: (_key, work) => work(),
    };
  }
}
