import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  App,
  AppContext,
  Call,
  Context,
  Driver,
  DriverDefinition,
  Layout,
  LinkReport,
  Point,
  Report,
  RowsOptions,
  Sample,
  Values,
} from '@tagway/sdk';
import { type LinkState, rowsOf } from '@tagway/sdk';
import type { AskHost, FromRunner, HostRequest, SampleData } from '@tagway/sdk/internal';
import { sampleOf, SampleOutlet } from '@tagway/sdk/internal';
import { AppNode } from '../../src/internal/runner/app-node.ts';
import { DriverNode } from '../../src/internal/runner/driver-node.ts';
import { Exclusive } from '../../src/internal/runner/exclusive.ts';
import { Alarms } from '../../src/internal/runner/schedule.ts';
import { NodeContext } from '../../src/internal/runner/node-context.ts';
import { settled, type TestGroup } from './harness.ts';
import { VirtualClock } from './virtual-clock.ts';

/** What the stands have in common: a node on a clock that a test moves, and what it sent to the host. */
abstract class Fixture implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly sent: FromRunner[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'tagway-node-'));

  protected contextOf(
    settings: object,
    inOrder: (notice: () => void) => void = (notice) => notice(),
    ask: AskHost = () => Promise.reject(new Error('No test answers this.')),
  ): NodeContext {
    const { clock } = this;
    const port = { send: (message: FromRunner) => void this.sent.push(message), onMessage: () => undefined };
    const start = { op: 'start', node: 1, name: 'plant', level: 'debug' } as const;
    const more = { settings: { ...settings }, dataDir: this.#folder };
    const alarms = new Alarms(clock);
    const exclusive = new Exclusive();
    return new NodeContext({ ...start, ...more }, { port, exclusive, ask, clock, alarms, inOrder }, 0);
  }

  protected abstract end(): Promise<void>;

  /** Lets `ms` milliseconds pass, a few at a time, so that what follows from a timer can happen before the next. */
  async pass(ms: number, step = Math.max(1, ms / 50)): Promise<void> {
    await settled();
    for (let left = ms; left > 0; left -= step) {
      this.clock.advance(Math.min(step, left));
      await settled();
    }
  }

  /** The messages of the log, in order. */
  get logged(): string[] {
    return this.sent.flatMap((message) => (message.op === 'log' ? [message.message] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ending = this.end();
    for (let round = 0; round < 50; round++) await this.pass(1000, 500);
    await ending;
    rmSync(this.#folder, { recursive: true });
  }
}

export interface StandOptions {
  readonly calls?: 'one';
  /** Bytes that may be on their way to the host, which takes them only when `take` is called. Absent: it takes them at once. */
  readonly window?: number;
  readonly queue?: number;
}

const answersNothing: Driver = {
  start: async () => undefined,
  read: async () => undefined,
  stop: async () => undefined,
};

/** A driver node on a virtual clock. */
export class DriverFixture extends Fixture {
  readonly node: DriverNode;
  readonly outlet: SampleOutlet<SampleData>;
  context!: Context;
  readonly dropped: SampleData[] = [];
  readonly #layouts = new Map<number, Layout>();
  #taking: (() => void)[] = [];

  constructor(make: Partial<Driver> | (() => Partial<Driver>), options: StandOptions = {}) {
    super();
    const { window, queue, calls } = options;
    this.outlet = new SampleOutlet<SampleData>(
      (sample, done) => {
        // As a channel does: the sender goes on using the arrays.
        this.sent.push({ op: 'sample', sample: structuredClone(sample) });
        if (window === undefined) done();
        else this.#taking.push(done);
      },
      { versionOf: ({ version }) => version, dropped: (sample) => void this.dropped.push(sample) },
      { ...(window !== undefined && { window }), ...(queue !== undefined && { queue }) },
    );
    const definition: DriverDefinition<never> = {
      checkTag: () => undefined,
      create: (context) => {
        this.context = context;
        return { ...answersNothing, ...(typeof make === 'function' ? make() : make) };
      },
      ...(calls && { calls }),
    };
    const context = this.contextOf({}, (notice) => this.outlet.after(notice));
    this.node = new DriverNode(definition, context, this.outlet, {
      started: () => undefined,
      refused: () => undefined,
    });
  }

  /** Starts a node with these groups. */
  static async of(
    make: Partial<Driver> | (() => Partial<Driver>),
    groups: readonly TestGroup[] = [],
    options?: StandOptions,
  ): Promise<DriverFixture> {
    const fixture = new DriverFixture(make, options);
    for (const group of groups) fixture.set(group);
    await fixture.node.start();
    return fixture;
  }

  set(config: TestGroup): void {
    this.#layouts.set(config.layout.version, config.layout);
    this.node.setGroup(config);
  }

  link(state: LinkState, report?: LinkReport): void {
    this.context.link(state, report);
  }

  /** The host takes what is under way, and what follows it. */
  take(): void {
    for (let next = this.#taking.shift(); next; next = this.#taking.shift()) next();
  }

  /** All samples since the last time, in order. */
  samples(): Sample[] {
    return this.sent
      .splice(0)
      .flatMap((message) =>
        message.op === 'sample'
          ? [sampleOf(message.sample, this.#layouts.get(message.sample.version) as Layout)]
          : [],
      );
  }

  counter(name: string): number {
    return this.node.context.meter(name);
  }

  protected end(): Promise<void> {
    return this.node.stop();
  }
}

/** What the rows of a sample say: values, and `!code` for faults. */
export function shown(sample: Sample, options?: RowsOptions): string {
  const words: string[] = [];
  for (const { value, fault } of rowsOf(sample, options))
    words.push(fault === 0 ? String(value) : `!${fault}`);
  return words.join(' ');
}

/** Answers every point with the number that is its address. */
export async function readAddresses(points: readonly Point[], into: Values): Promise<void> {
  points.forEach(({ address }, index) => into.number(index, Number(address)));
}

/** A driver whose reads wait until a test lets them go on, and whose watch hands its report to the test. */
export class Script {
  readonly reads: {
    readonly points: readonly Point[];
    readonly into: Values;
    readonly call: Call;
    resolve(): void;
    reject(error: unknown): void;
  }[] = [];
  report!: Report;
  /** Of the watch. */
  polled: readonly number[] | undefined;
  unwatched = 0;
  unwatch: () => Promise<void> = async () => undefined;

  stops = 0;

  readonly polling: Partial<Driver> = {
    read: (points, into, call) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.reads.push({ points, into, call, resolve, reject });
      return promise;
    },
    stop: async () => {
      this.stops++;
    },
  };

  readonly pushing: Partial<Driver> = {
    ...this.polling,
    watch: (_points, report) => {
      this.report = report;
      const polled = (): readonly number[] | undefined => this.polled;
      return {
        get polled() {
          return polled();
        },
        [Symbol.asyncDispose]: async () => {
          this.unwatched++;
          await this.unwatch();
        },
      };
    },
  };

  /** Sets these values, from the first point on, and sends them. */
  push(...values: number[]): void {
    values.forEach((value, index) => this.report.number(index, value));
    this.report.send();
  }
}

/** An app node on a virtual clock. */
export class AppFixture extends Fixture {
  readonly node: AppNode;
  context!: AppContext;
  readonly asked: { request: HostRequest; signal: AbortSignal | undefined }[] = [];
  answer: (request: HostRequest) => unknown = () => undefined;

  constructor(app: Partial<App>) {
    super();
    this.node = new AppNode(
      {
        create: (context) => {
          this.context = context;
          return {
            start: async () => undefined,
            subscriptionsChanged: () => undefined,
            deliver: () => undefined,
            stop: async () => undefined,
            ...app,
          };
        },
      },
      this.contextOf({}),
      async (request, signal) => {
        this.asked.push({ request, signal });
        return (await this.answer(request)) as never;
      },
      { started: () => this.sent.push({ op: 'started', node: 1 }), refused: () => undefined },
    );
  }

  protected end(): Promise<void> {
    return this.node.stop();
  }
}
