import { setTimeout as sleep } from 'node:timers/promises';
import { Attribute, DataType, type Sample } from '@tagway/sdk';
import { type Form, RunnerHarness, type HarnessOptions } from '@tagway/sdk/harness';
import {
  type FromRunner,
  type GroupConfig,
  layoutOf,
  type RunnerTag,
  sampleOf,
  type SubscriptionsData,
} from '@tagway/sdk/internal';
import { type Library, moduleUnderTest, settingsOf } from './library.ts';
import { type Outcome, outcomesOf } from './reading.ts';

/** A point of a test: an address and its type, INT16 if it has none. */
export interface TestPoint {
  readonly name?: string;
  readonly address: string;
  readonly type?: DataType;
  /** Flags of `Attribute`; READ and WRITE if it has none. */
  readonly attribute?: number;
}

export function tagOf(point: TestPoint, index = 0): RunnerTag {
  return {
    name: point.name ?? `tag${index}`,
    address: point.address,
    type: point.type ?? DataType.INT16,
    attribute: point.attribute ?? Attribute.READ | Attribute.WRITE,
    precision: 0,
    decimal: 0,
    bias: 0,
  };
}

/** One group of a node. */
export interface TestGroup {
  readonly config: GroupConfig;
  /** Waits for the next whole sample of the group. */
  next(): Promise<Outcome[]>;
  /** Reads the group now, outside of its interval. */
  poll(): Promise<Outcome[]>;
  /** Waits for a whole sample that fits, for `within` milliseconds at most. */
  until(what: string, fits: (reading: Outcome[]) => boolean, within?: number): Promise<void>;
  /** Polls the group until a sample fits, for `within` milliseconds at most. */
  pollUntil(what: string, fits: (reading: Outcome[]) => boolean, within?: number): Promise<void>;
  /** All samples of the group so far, events included, in order. */
  samples(): Sample[];
}

type SampleMessage = Extract<FromRunner, { op: 'sample' }>;

let version = 0;

/** A runner that has loaded a plugin, driven as the host drives it. */
export class PluginHarness implements AsyncDisposable {
  readonly runner: RunnerHarness;
  readonly #library: Library;

  private constructor(runner: RunnerHarness, library: Library) {
    this.runner = runner;
    this.#library = library;
  }

  /** Loads the plugin. Rejects with the reason when that fails. */
  static async open(form: Form, library: Library, options?: HarnessOptions): Promise<PluginHarness> {
    const { inputs } = library.manifest;
    const runner = await RunnerHarness.open(form, moduleUnderTest(library), { ...options, inputs });
    const failure = runner.received.find((message) => message.op === 'unloadable');
    if (failure === undefined) return new PluginHarness(runner, library);
    await runner[Symbol.asyncDispose]();
    throw new Error(`The plugin cannot be loaded: ${failure.message}`);
  }

  /** Starts a node; its settings are checked and their defaults filled in. Resolves with true when it runs. */
  start(node: number, params: object, subscriptions?: SubscriptionsData): Promise<unknown> {
    return this.runner.start(node, settingsOf(this.#library, params), subscriptions);
  }

  /** Runs an app in tail mode, from its beginning to its end. */
  tail(node: number, params: object): Promise<void> {
    return this.runner.tail(node, settingsOf(this.#library, params));
  }

  stop(node: number): Promise<unknown> {
    return this.runner.ask({ op: 'stop', node });
  }

  test(node: number, point: TestPoint): Promise<unknown> {
    return this.runner.ask({ op: 'test', node, tag: tagOf(point) });
  }

  /** Adds a group to a node, or replaces the points of the group with this number; it is polled from now on. */
  group(node: number, id: number, points: readonly TestPoint[], interval = 100): TestGroup {
    const { runner } = this;
    const isWithInputs = this.#library.manifest.inputs === true;
    const tags = points.map((point, index) => ({
      ...tagOf(point, index),
      ...(isWithInputs && { id: id * 10_000 + index }),
    }));
    const names = { driver: `node ${node}`, group: `group ${id}` };
    const layout = layoutOf(++version, { ...names, interval }, tags);
    const config: GroupConfig = { group: id, tags, layout };
    const isOwn = (message: FromRunner): message is SampleMessage =>
      message.op === 'sample' && message.sample.version === layout.version;
    const isWhole = (message: FromRunner): message is SampleMessage =>
      isOwn(message) && message.sample.rows === undefined;
    const outcomes = ({ sample }: SampleMessage): Outcome[] => outcomesOf(sampleOf(sample, layout));
    let seen = runner.received.length;
    runner.send({ op: 'group', node, config });
    const next = async (): Promise<Outcome[]> => {
      const message = await runner.next(isWhole, seen);
      seen = runner.received.indexOf(message, seen) + 1;
      return outcomes(message);
    };
    const poll = async (): Promise<Outcome[]> => {
      const from = runner.received.length;
      await runner.ask({ op: 'poll', node, group: id });
      await runner.next(isWhole, from);
      // When the link was lost or restored during the read, it has made samples of its own before.
      seen = runner.received.length;
      return outcomes(runner.received.findLast(isWhole) as SampleMessage);
    };
    return {
      config,
      next,
      poll,
      until: (what, fits, within) => untilReading(next, what, fits, within),
      pollUntil: (what, fits, within) => untilReading(poll, what, fits, within),
      samples: () => runner.received.filter(isOwn).map(({ sample }) => sampleOf(sample, layout)),
    };
  }

  /** The texts of what the plugin logged at a level. */
  logged(level: string): string[] {
    return this.runner.received.flatMap((message) =>
      message.op === 'log' && message.level === level
        ? [`${message.message} ${JSON.stringify(message.fields ?? {})}`]
        : [],
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.runner[Symbol.asyncDispose]();
  }
}

async function untilReading(
  read: () => Promise<Outcome[]>,
  what: string,
  fits: (reading: Outcome[]) => boolean,
  within = 30_000,
): Promise<void> {
  const end = performance.now() + within;
  for (let reading = await read(); !fits(reading); reading = await read()) {
    if (performance.now() > end)
      throw new Error(
        `It did not come to this in time: ${what}; the last reading was ${reading.join(', ')}.`,
      );
    // Gives the device time to start when the driver answers at once.
    await sleep(20);
  }
}
