import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileSettings } from '@tagway/schemas/validate';
import { ErrorCode, Fault } from '@tagway/sdk';
import type {
  App,
  AppContext,
  DriverState,
  GatewayPair,
  LinkReport,
  LinkState,
  NodeStore,
  Sample,
  Subscription,
  TagWrite,
} from '@tagway/sdk';
import { contextOf, type ContextRecord } from './context.ts';

/** The gateway's answers to an app, and how the app is made. */
export interface TestNodeOptions<Settings, Params> {
  /** Name of the node. */
  readonly node: string;
  readonly create: (context: AppContext<Settings>) => App<Params>;
  readonly read?: (driver: string, group: string) => Promise<Sample>;
  readonly write?: AppContext['write'];
  readonly drivers?: readonly DriverState[];
  /** The role of a user with this password. Default: nobody can log in. */
  readonly login?: AppContext['login'];
  readonly history?: AppContext['history'];
  readonly activeAlarms?: AppContext['activeAlarms'];
  /** How many times faster than real the node's clock runs. */
  readonly speed?: number;
  /** A folder that an earlier run has left, which this one deletes at its end. */
  readonly folder?: string;
  /** In a pair of gateways. */
  readonly pairId?: string;
  readonly pair?: GatewayPair;
  /** The numbers of its sequences that were given last, which the gateways of a pair share. */
  readonly sequences?: Map<string, number>;
  /** What the node has stored. Default: nothing, by each run anew. */
  readonly store?: NodeStore;
  /** The journal of alarms. Default: it is empty. */
  readonly alarms?: AppContext['alarms'];
  /** In the place of a gateway that keeps those numbers. */
  readonly sequence?: AppContext['sequence'];
}

/** Settings as the host hands them to a plugin; throws what the schema refuses. */
export function settingsBy<Settings>(schema: object): (params: Record<string, unknown>) => Settings {
  const compiled = compileSettings(schema);
  return (params) => {
    const result = compiled(params);
    if ('message' in result) throw new Error(result.message);
    return result.settings as Settings;
  };
}

/** What says what is wrong with settings, by schema or by the plugin's own check, or undefined. The settings are changes of a base that is right. */
export function problemsBy<Settings>(
  settingsOf: (params: Record<string, unknown>) => Settings,
  checkSettings: (settings: Settings) => Fault | undefined,
  base: Record<string, unknown>,
): (params: Record<string, unknown>) => string | undefined {
  return (params) => {
    try {
      return checkSettings(settingsOf({ ...base, ...params }))?.message;
    } catch (error) {
      return String(error);
    }
  };
}

const noHistory: AppContext['history'] = () => Promise.reject(new Fault(ErrorCode.HISTORY_NOT_KEPT));

const noLogin: AppContext['login'] = () =>
  Promise.reject(new Fault(ErrorCode.CREDENTIALS_INVALID, 'This gateway has no users.'));

const noAlarms: AppContext['alarms'] = () => Promise.resolve({ events: [], last: 0 });

/** Runs of one app node, one after another, in one folder. */
export class TestNode<Settings, Params> implements AsyncDisposable, ContextRecord {
  readonly links: LinkState[] = [];
  readonly reports: LinkReport[] = [];
  readonly lines: string[] = [];
  readonly counts = new Map<string, number>();
  readonly gauges = new Map<string, number>();
  readonly written: (readonly TagWrite[])[] = [];
  readonly folder: string;
  readonly #options: TestNodeOptions<Settings, Params>;
  readonly #sequences: Map<string, number>;
  #app: App<Params> | undefined;
  #tail: Promise<void> | undefined;
  #end = new AbortController();
  #stopped = true;

  private constructor(folder: string, options: TestNodeOptions<Settings, Params>) {
    this.folder = folder;
    this.#options = options;
    this.#sequences = options.sequences ?? new Map<string, number>();
  }

  static async open<Settings, Params>(
    settings: Settings,
    options: TestNodeOptions<Settings, Params>,
  ): Promise<TestNode<Settings, Params>> {
    const run = await TestNode.idle(options);
    await run.start(settings);
    return run;
  }

  /** A node that does not run yet. */
  static async idle<Settings, Params>(
    options: TestNodeOptions<Settings, Params>,
  ): Promise<TestNode<Settings, Params>> {
    return new TestNode(options.folder ?? (await mkdtemp(join(tmpdir(), 'tagway-app-'))), options);
  }

  get app(): App<Params> {
    if (this.#app === undefined) throw new Error('The node was never started.');
    return this.#app;
  }

  get link(): LinkState | undefined {
    return this.links.at(-1);
  }

  count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  /** Delivers a sample as the runner does, except that it does not wait for the promise. */
  deliver(sample: Sample, subscription: Subscription<Params>): void {
    void this.app.deliver(sample, subscription);
  }

  /** The next run of the node, with other settings or the same. */
  async restart(settings: Settings): Promise<void> {
    await this.stop();
    await this.start(settings);
  }

  async start(settings: Settings): Promise<void> {
    await this.#begin(settings).start();
  }

  /** The next run of the node, in tail mode, from its beginning to its end. */
  async tail(settings: Settings): Promise<void> {
    const app = this.#begin(settings);
    this.#tail = app.tail?.();
    await this.#tail;
    await this.stop();
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#end.abort();
    await this.app.stop(AbortSignal.timeout(5000));
    await this.#tail?.catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  #begin(settings: Settings): App<Params> {
    this.#stopped = false;
    this.#end = new AbortController();
    this.links.length = 0;
    this.#app = this.#options.create(this.#context(settings));
    return this.#app;
  }

  #context(settings: Settings): AppContext<Settings> {
    const {
      node,
      read,
      write,
      login = noLogin,
      history = noHistory,
      activeAlarms = () => Promise.resolve([]),
      drivers = [],
      speed,
      pairId,
      pair,
      sequence,
    } = this.#options;
    const { store, alarms = noAlarms } = this.#options;
    const { signal } = this.#end;
    const sequences = this.#sequences;
    return {
      ...contextOf({ node, settings, dataDir: this.folder, signal, speed, pairId, sequences }, this),
      ...(sequence !== undefined && { sequence }),
      ...(pair !== undefined && { pair }),
      ...(store !== undefined && { store }),
      alarms,
      read: (driver, group) =>
        read?.(driver, group) ?? Promise.reject(new Error('This gateway has no groups.')),
      write: async (writes, options) => {
        const faults = (await write?.(writes, options)) ?? writes.map(() => undefined);
        if (faults.every((fault) => fault === undefined)) this.written.push(writes);
        return faults;
      },
      drivers: () => Promise.resolve(drivers),
      login,
      history,
      activeAlarms,
    };
  }
}
