import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileSettings } from '@tagway/schemas/validate';
import { DataType, ErrorCode, Fault } from '@tagway/sdk';
import type {
  AppContext,
  DriverState,
  JsonValue,
  Layout,
  LinkState,
  Log,
  Reading,
  Route,
  Sample,
} from '@tagway/sdk';
import { MqttApp } from '../src/mqtt.ts';
import type { Settings } from '../src/settings.ts';
import type { Params } from '../src/topics.ts';
import schema from '../settings.schema.json' with { type: 'json' };

const compiled = compileSettings(schema);

/** Settings as the host hands them to a plugin; throws what the schema refuses. */
export function settingsOf(params: Record<string, unknown>): Settings {
  const result = compiled(params);
  if ('message' in result) throw new Error(result.message);
  return result.settings as unknown as Settings;
}

/** Waits until something holds; fails after so many milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  within = 8000,
): Promise<void> {
  for (const end = performance.now() + within; performance.now() < end; await sleep(5)) {
    if (await holds()) return;
  }
  throw new Error(`Waited in vain until ${what}.`);
}

export const layout: Layout = {
  version: 1,
  node: 'modbus',
  group: 'grp',
  columns: [
    { name: 'tag0', type: DataType.INT16, precision: 0, scaled: false, onChange: false },
    { name: 'tag1', type: DataType.INT64, precision: 0, scaled: false, onChange: false },
  ],
};

/** A sample of `layout`: tag0 is the number, tag1 the largest 64-bit integer. */
export function sampleOf(tag0: number, faults: readonly number[] = []): Sample {
  return {
    group: 1,
    version: 1,
    time: 1_650_006_388_943,
    numbers: Float64Array.of(tag0),
    integers: BigInt64Array.of(0x7fff_ffff_ffff_ffffn),
    objects: [],
    faults: Int32Array.from(faults),
  };
}

export interface Written {
  readonly node: string;
  readonly group: string;
  readonly tags: readonly { readonly tag: string; readonly value: JsonValue }[];
}

/** One run of an MQTT node against a gateway with one driver, `modbus`, of one group, `grp`. */
export class Run implements AsyncDisposable {
  #app: MqttApp;
  readonly links: LinkState[] = [];
  readonly lines: string[] = [];
  readonly counts = new Map<string, number>();
  readonly gauges = new Map<string, number>();
  readonly written: Written[] = [];
  readonly folder: string;
  #end = new AbortController();
  readonly #begun = Date.now();
  readonly #origin = performance.now();
  /** How many times faster than real the node's clock runs. */
  #haste = 1;
  #stopped = false;

  private constructor(folder: string, settings: Settings) {
    this.folder = folder;
    this.#app = new MqttApp(this.#context(settings));
  }

  static async start(params: Record<string, unknown>, haste = 1): Promise<Run> {
    const run = new Run(await mkdtemp(join(tmpdir(), 'tagway-mqtt-')), settingsOf(params));
    run.#haste = haste;
    await run.#app.start();
    return run;
  }

  get app(): MqttApp {
    return this.#app;
  }

  /** Delivers a sample as the runner does, except that it does not wait for room. */
  deliver(sample: Sample, route: Route<Params>): void {
    void this.#app.deliver(sample, route);
  }

  /** The next run of the node, with other settings or the same. */
  async restart(params: Record<string, unknown>): Promise<void> {
    await this.stop();
    this.#stopped = false;
    this.#end = new AbortController();
    this.links.length = 0;
    this.#app = new MqttApp(this.#context(settingsOf(params)));
    await this.#app.start();
  }

  get link(): LinkState | undefined {
    return this.links.at(-1);
  }

  count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#end.abort();
    await this.#app.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  #context(settings: Settings): AppContext<Settings> {
    const line = (message: string): void => void this.lines.push(message);
    const log: Log = { debug: line, info: line, notice: line, warn: line, error: line };
    return {
      node: 'mqtt',
      settings,
      log,
      clock: {
        now: () => this.#begun + (performance.now() - this.#origin) * this.#haste,
        sleep: (ms, signal) => sleep(ms / this.#haste, undefined, { signal }),
      },
      dataDir: this.folder,
      signal: this.#end.signal,
      link: (state) => void this.links.push(state),
      rtt: () => undefined,
      count: (name, add) => void this.counts.set(name, this.count(name) + add),
      gauge: (name, value) => void this.gauges.set(name, value),
      exclusive: (_key, work) => work(),
      read: (driver, group) => this.#read(driver, group),
      write: (driver, group, tags) => this.#write(driver, group, tags),
      drivers: () => Promise.resolve([{ node: 'modbus', running: 3, link: 2 } satisfies DriverState]),
    };
  }

  #read(node: string, group: string): Promise<Reading> {
    const missing =
      node !== 'modbus' ? ErrorCode.NODE_NOT_FOUND : group !== 'grp' ? ErrorCode.GROUP_NOT_FOUND : 0;
    return missing === 0
      ? Promise.resolve({ layout, sample: sampleOf(7) })
      : Promise.reject(new Fault(missing));
  }

  #write(node: string, group: string, tags: Written['tags']): Promise<void> {
    if (tags.some(({ tag }) => tag === 'tag9')) return Promise.reject(new Fault(ErrorCode.TAG_NOT_FOUND));
    this.written.push({ node, group, tags });
    return Promise.resolve();
  }
}
