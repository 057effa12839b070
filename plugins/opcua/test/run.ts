import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileSettings } from '@tagway/schemas/validate';
import {
  type Context,
  type DataType,
  type Fault,
  isFault,
  type LinkState,
  type Outcome,
  type Point,
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

/** Values as they are, faults as their codes. */
export function shown(outcomes: readonly (Outcome | Fault | undefined)[]): unknown[] {
  return outcomes.map((outcome) => (isFault(outcome) ? outcome.code : outcome));
}

/** One run of an OPC UA node. */
export class Run implements AsyncDisposable {
  readonly driver: OpcUaDriver;
  readonly links: LinkState[] = [];
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
    const signal = new AbortController().signal;
    try {
      return shown(await this.driver.read(points, signal));
    } catch (error) {
      if (isFault(error)) return error.code;
      throw error;
    }
  }

  async write(point: Point, value: bigint | boolean | number | string): Promise<unknown> {
    try {
      const [fault] = await this.driver.write([{ point, value }], new AbortController().signal);
      return fault?.code ?? 0;
    } catch (error) {
      if (isFault(error)) return error.code;
      throw error;
    }
  }

  /** Watches points; the array holds the latest outcomes, as `shown` shows them. */
  async watch(
    points: readonly Point[],
  ): Promise<{ latest: unknown[]; reports: number; end(): Promise<void>; polled: readonly number[] }> {
    const latest = new Array<unknown>(points.length).fill(undefined);
    const state = { reports: 0 };
    const watch = await this.driver.watch?.(points, (indices, outcomes) => {
      state.reports++;
      indices.forEach((index, at) => (latest[index] = shown([outcomes[at]])[0]));
    });
    if (watch === undefined) throw new Error('The driver does not watch.');
    return {
      latest,
      get reports() {
        return state.reports;
      },
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
    await this.driver.stop();
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
        sleep: (ms, signal) => sleep(ms / this.haste, undefined, signal ? { signal } : {}),
      },
      dataDir: this.folder,
      signal: this.#end.signal,
      link: (state) => {
        if (this.links.at(-1) !== state) this.links.push(state);
      },
      rtt: () => undefined,
      count: () => undefined,
      gauge: () => undefined,
      exclusive: (_key, work) => work(),
    };
  }
}
