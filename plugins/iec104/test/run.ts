import { setTimeout as sleep } from 'node:timers/promises';
import { compileSettings } from '@tagway/schemas/validate';
import {
  Attribute,
  type Call,
  type Context,
  type DataType,
  type Fault,
  isFault,
  type LinkReport,
  LinkState,
  type Point,
  type Report,
  type Results,
  type Value,
} from '@tagway/sdk';
import { Iec104Driver } from '../src/driver.ts';
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
    await sleep(10);
  }
}

/** Points that are reported and can be written, from pairs of object and type. */
export function pointsOf(...tags: readonly (readonly [object: number | string, type: DataType])[]): Point[] {
  return tags.map(([object, type], index) => ({
    name: `tag${index}`,
    address: String(object),
    type,
    attribute: Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE,
  }));
}

/** Takes values as tests compare them: faults as their codes. */
export class Taken implements Report {
  readonly latest: unknown[];
  readonly times: number[];
  readonly qualities: number[];
  /** What was sent, in order: index, value, and whether equal ones count. */
  readonly history: (readonly [index: number, value: unknown, every: boolean])[] = [];
  readonly #staged: (readonly [index: number, value: unknown])[] = [];
  /** What `send` answers. */
  hasRoom = true;
  drained: Promise<void> = Promise.resolve();
  sends = 0;

  constructor(count: number) {
    this.latest = new Array<unknown>(count).fill(undefined);
    this.times = new Array<number>(count).fill(NaN);
    this.qualities = new Array<number>(count).fill(0);
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
    this.#put(index, fault.code);
  }

  stamp(index: number, time: number, quality = 0): void {
    this.times[index] = time;
    this.qualities[index] = quality;
  }

  send({ every = false }: { readonly every?: boolean } = {}): boolean {
    this.sends++;
    for (const [index, value] of this.#staged.splice(0)) this.history.push([index, value, every]);
    return this.hasRoom;
  }

  /** All values that one point had, in order. */
  of(index: number): unknown[] {
    return this.history.filter(([of]) => of === index).map(([, value]) => value);
  }

  #put(index: number, value: unknown): void {
    this.latest[index] = value;
    this.times[index] = NaN;
    this.qualities[index] = 0;
    this.#staged.push([index, value]);
  }
}

/** One run of a node. */
export class Run implements AsyncDisposable {
  readonly driver: Iec104Driver;
  readonly reports: { readonly state: LinkState; readonly report: LinkReport }[] = [];
  readonly counts = new Map<string, number>();
  readonly lines: string[] = [];
  /** How many times faster than real pauses between attempts to connect pass. */
  haste = 1;
  readonly #end = new AbortController();
  #isStopped = false;

  constructor(params: Record<string, unknown>) {
    this.driver = new Iec104Driver(this.#context(settingsOf(params)));
  }

  /** Starts a node on a station of this port and waits for the link. */
  static async connected(port: number, params: Record<string, unknown> = {}): Promise<Run> {
    const run = new Run({ host: '127.0.0.1', port, interval: 0, ...params });
    await run.driver.start();
    await until('there is a link', () => run.isUp);
    return run;
  }

  get isUp(): boolean {
    return this.reports.at(-1)?.state === LinkState.CONNECTED;
  }

  /** Why the link was down last. */
  get reason(): string {
    return this.reports.findLast(({ report }) => report.reason !== undefined)?.report.reason ?? '';
  }

  watch(points: readonly Point[]): Taken {
    const taken = new Taken(points.length);
    this.driver.watch(Object.freeze([...points]), taken);
    return taken;
  }

  /** Reads points; a read that fails as a whole is its code. */
  async read(points: readonly Point[], cause: Call['cause'] = 'poll'): Promise<unknown> {
    const taken = new Taken(points.length);
    try {
      await this.driver.read(points, taken, { cause, signal: this.#end.signal });
      return taken.latest;
    } catch (error) {
      if (isFault(error)) return error.code;
      throw error;
    }
  }

  /** Writes; 0 for done, otherwise the code, undefined when nothing was said. */
  async write(
    writes: readonly (readonly [point: Point, value: Value])[],
    signal: AbortSignal = this.#end.signal,
  ): Promise<unknown> {
    const codes = new Array<number | undefined>(writes.length).fill(undefined);
    const into: Results = {
      done: (index) => void (codes[index] = 0),
      fault: (index, fault) => void (codes[index] = fault.code),
    };
    try {
      const all = writes.map(([point, value]) => ({ point, value }));
      await this.driver.write(all, into, { cause: 'demand', signal });
      return codes;
    } catch (error) {
      if (isFault(error)) return error.code;
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#end.abort();
    await this.driver.stop(AbortSignal.timeout(5_000));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #context(settings: Settings): Context<Settings> {
    const line = (message: string): void => void this.lines.push(message);
    return {
      node: 'substation',
      settings,
      log: { debug: () => undefined, info: line, notice: line, warn: line, error: line },
      clock: {
        now: () => Date.now(),
        monotonic: () => performance.now(),
        sleep: (ms, signal) => sleep(ms / this.haste, undefined, signal ? { signal } : {}),
        timer: (ms, callback) => {
          const timer = setTimeout(callback, ms);
          return { [Symbol.dispose]: () => clearTimeout(timer) };
        },
      },
      dataDir: '/nonexistent',
      signal: this.#end.signal,
      link: (state, report = {}) => void this.reports.push({ state, report }),
      rtt: () => undefined,
      count: (name, add) => void this.counts.set(name, (this.counts.get(name) ?? 0) + add),
      gauge: () => undefined,
      exclusive: (_key, work) => work(),
    };
  }
}
