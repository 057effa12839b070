import { setTimeout as sleep } from 'node:timers/promises';
import { Attribute, DataType, type Sample } from '@tagway/sdk';
import {
  type Form,
  type FromRunner,
  type GroupConfig,
  layoutOf,
  Line,
  type LineOptions,
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
export interface GroupOnBench {
  readonly config: GroupConfig;
  /** Waits for the next sample that holds the whole group. */
  next(): Promise<Outcome[]>;
  /** Reads the group out of turn. */
  poll(): Promise<Outcome[]>;
  /** Waits for a sample of the whole group that fits, for so many milliseconds at most. */
  until(what: string, fits: (reading: Outcome[]) => boolean, within?: number): Promise<void>;
  /** Reads the group out of turn until a reading fits, for so many milliseconds at most. */
  pollUntil(what: string, fits: (reading: Outcome[]) => boolean, within?: number): Promise<void>;
  /** All samples of the group so far, events included, in order. */
  samples(): Sample[];
}

type SampleMessage = Extract<FromRunner, { op: 'sample' }>;

let version = 0;

/** A runner with a plugin on it: what a host does, as tests need it. */
export class Bench implements AsyncDisposable {
  readonly line: Line;
  readonly #library: Library;

  private constructor(line: Line, library: Library) {
    this.line = line;
    this.#library = library;
  }

  /** Loads the plugin. Rejects with the reason when that fails. */
  static async open(form: Form, library: Library, options?: LineOptions): Promise<Bench> {
    const line = await Line.open(form, moduleUnderTest(library), options);
    const failure = line.received.find((message) => message.op === 'unloadable');
    if (failure === undefined) return new Bench(line, library);
    await line[Symbol.asyncDispose]();
    throw new Error(`The plugin cannot be loaded: ${failure.message}`);
  }

  /** Starts a node with settings that are checked and completed first. True: it runs. */
  start(node: number, params: object, subscriptions?: SubscriptionsData): Promise<unknown> {
    return this.line.start(node, settingsOf(this.#library, params), subscriptions);
  }

  /** Runs an app in tail mode, from its beginning to its end. */
  tail(node: number, params: object): Promise<void> {
    return this.line.tail(node, settingsOf(this.#library, params));
  }

  stop(node: number): Promise<unknown> {
    return this.line.ask({ op: 'stop', node });
  }

  test(node: number, point: TestPoint): Promise<unknown> {
    return this.line.ask({ op: 'test', node, tag: tagOf(point) });
  }

  /** Gives a node a group, or the group of this number other points; it is polled from now on. */
  group(node: number, id: number, points: readonly TestPoint[], interval = 100): GroupOnBench {
    const { line } = this;
    const tags = points.map(tagOf);
    const names = { driver: `node ${node}`, group: `group ${id}` };
    const config: GroupConfig = {
      group: id,
      tags,
      layout: layoutOf(++version, { ...names, interval }, tags),
    };
    const isOwn = (message: FromRunner): message is SampleMessage =>
      message.op === 'sample' && message.sample.version === config.layout.version;
    const isWhole = (message: FromRunner): message is SampleMessage =>
      isOwn(message) && message.sample.rows === undefined;
    const outcomes = ({ sample }: SampleMessage): Outcome[] => outcomesOf(sampleOf(sample, config.layout));
    let seen = line.received.length;
    line.send({ op: 'group', node, config });
    const next = async (): Promise<Outcome[]> => {
      const message = await line.next(isWhole, seen);
      seen = line.received.indexOf(message, seen) + 1;
      return outcomes(message);
    };
    const poll = async (): Promise<Outcome[]> => {
      const from = line.received.length;
      await line.ask({ op: 'poll', node, group: id });
      await line.next(isWhole, from);
      // A link that was lost or found during the read has made samples of its own before.
      seen = line.received.length;
      return outcomes(line.received.findLast(isWhole) as SampleMessage);
    };
    return {
      config,
      next,
      poll,
      until: (what, fits, within) => awaitReading(next, what, fits, within),
      pollUntil: (what, fits, within) => awaitReading(poll, what, fits, within),
      samples: () => line.received.filter(isOwn).map(({ sample }) => sampleOf(sample, config.layout)),
    };
  }

  /** The texts of what the plugin logged at a level. */
  logged(level: string): string[] {
    return this.line.received.flatMap((message) =>
      message.op === 'log' && message.level === level
        ? [`${message.message} ${JSON.stringify(message.fields ?? {})}`]
        : [],
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.line[Symbol.asyncDispose]();
  }
}

async function awaitReading(
  read: () => Promise<Outcome[]>,
  what: string,
  fits: (reading: Outcome[]) => boolean,
  within = 30_000,
): Promise<void> {
  const end = performance.now() + within;
  for (let reading = await read(); !fits(reading); reading = await read()) {
    if (performance.now() > end)
      throw new Error(`In vain waited until ${what}; the last reading was ${reading.join(', ')}.`);
    // A driver that answers at once leaves time for the device to come.
    await sleep(20);
  }
}
