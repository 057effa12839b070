import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Column,
  Fault,
  Layout,
  ListeningPlace,
  RefusedRequest,
  Sample,
  Subscription,
  TagWrite,
  WriteOptions,
  DataType,
} from '@tagway/sdk';
import { Attribute, LinkState, RunningState, Store } from '@tagway/sdk';
import { layoutOf } from '@tagway/sdk/internal';
import { checkedSettings, contextFor, type ContextRecord, freePort } from '@tagway/testkit';
import schema from '../../settings.schema.json' with { type: 'json' };
import { Iec104ServerApp } from '../../src/server-app.ts';
import type { Params, Settings } from '../../src/settings.ts';

export interface TestTag {
  readonly name: string;
  readonly type: DataType;
  /** Default: it can be read and written. */
  readonly attribute?: number;
}

/** A value of a tag, or a fault of its own. */
export interface Reading {
  readonly value?: number;
  readonly fault?: number;
  readonly time?: number;
  readonly quality?: number;
}

let version = 0;

/** One run after the other of a controlled station with one group of tags. */
export class Station implements AsyncDisposable {
  readonly port: number;
  readonly folder = mkdtempSync(join(tmpdir(), 'tagway-iec104-'));
  readonly writes: { readonly write: TagWrite; readonly options: WriteOptions }[] = [];
  readonly stored = new Map<string, string>();
  readonly refused: RefusedRequest[] = [];
  places: readonly ListeningPlace[] = [];
  /** Whether the gateway can store. */
  stores: () => Promise<void> = () => Promise.resolve();
  /** What the gateway makes of a write. */
  answer: (write: TagWrite) => Promise<Fault | undefined> = () => Promise.resolve(undefined);
  app!: Iec104ServerApp;
  record!: ContextRecord;
  readonly gauges = new Map<string, number>();
  #subscription: Subscription<Params>;
  readonly #settings: object;

  private constructor(port: number, tags: readonly TestTag[], points: string, settings: object) {
    this.port = port;
    this.#settings = settings;
    this.#subscription = subscriptionOf(tags, points);
  }

  static async start(tags: readonly TestTag[], points: string, settings: object = {}): Promise<Station> {
    const station = new Station(await freePort(), tags, points, settings);
    try {
      await station.run();
    } catch (error) {
      rmSync(station.folder, { recursive: true, force: true });
      throw error;
    }
    return station;
  }

  get layout(): Layout {
    return this.#subscription.layout;
  }

  /** Begins a run on what the one before has left. */
  async run(): Promise<void> {
    const settings: Settings = checkedSettings(schema, {
      host: '127.0.0.1',
      port: this.port,
      commands: true,
      ...this.#settings,
    });
    const { context, record } = contextFor(settings, {
      dataDir: this.folder,
      gauge: (name, value) => void this.gauges.set(name, value),
      listens: (places) => void (this.places = places),
      store: {
        read: () => Promise.resolve(new Map(this.stored)),
        write: async (entries) => {
          await this.stores();
          for (const [key, text] of entries) {
            if (text === undefined) this.stored.delete(key);
            else this.stored.set(key, text);
          }
        },
      },
    });
    this.record = record;
    this.app = new Iec104ServerApp({
      ...context,
      read: () => Promise.reject(new Error('Nothing is read.')),
      drivers: () => Promise.resolve([]),
      alarms: () => Promise.reject(new Error('No alarms are asked for.')),
      activeAlarms: () => Promise.reject(new Error('No alarms are asked for.')),
      history: () => Promise.reject(new Error('No history is asked for.')),
      login: () => Promise.reject(new Error('Nobody logs in.')),
      refused: (request) => void this.refused.push(request),
      write: (writes, options = {}) =>
        Promise.all(
          writes.map((write) => {
            this.writes.push({ write, options });
            return this.answer(write);
          }),
        ),
    });
    await this.app.start();
    this.app.subscriptionsChanged([this.#subscription]);
    this.driver(LinkState.CONNECTED);
  }

  /** The link of the driver has changed. */
  driver(link: LinkState): void {
    this.app.driversChanged([{ driver: 'plant', running: RunningState.RUNNING, link }]);
  }

  async stop(): Promise<void> {
    this.record.controller.abort();
    await this.app.stop();
  }

  /** Another table, or other tags. */
  change(tags: readonly TestTag[], points: string): void {
    this.#subscription = subscriptionOf(tags, points);
    this.app.subscriptionsChanged([this.#subscription]);
  }

  /** Delivers a reading of the group; tags that are not given are not due. */
  async deliver(readings: Readonly<Record<string, Reading>>, timestamp = Date.now()): Promise<void> {
    const { layout } = this;
    const { columns } = layout;
    const of = ({ name }: Column): Reading | undefined => readings[name];
    const numbers = columns.filter(({ store }) => store === Store.NUMBER);
    const sample: Sample = {
      layout,
      timestamp,
      due: Uint8Array.from(columns, (column) => (of(column) === undefined ? 0 : 1)),
      numbers: Float64Array.from(numbers, (column) => of(column)?.value ?? 0),
      integers: new BigInt64Array(columns.length - numbers.length),
      objects: [],
      faults: Int32Array.from(
        columns.flatMap((column, index) => {
          const fault = of(column)?.fault;
          return fault === undefined ? [] : [index, fault];
        }),
      ),
      timestamps: Float64Array.from(columns, (column) => of(column)?.time ?? NaN),
      qualities: Uint32Array.from(columns, (column) => of(column)?.quality ?? 0),
    };
    await this.app.deliver(sample, this.#subscription);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function subscriptionOf(tags: readonly TestTag[], points: string): Subscription<Params> {
  const layout = layoutOf(
    ++version,
    { driver: 'plant', group: 'group', interval: 100 },
    tags.map(({ name, type, attribute = Attribute.READ | Attribute.WRITE }) => ({
      name,
      type,
      attribute,
      address: name,
      precision: 0,
      decimal: 0,
      bias: 0,
    })),
  );
  return { id: 1, driver: 'plant', group: 'group', params: { points }, layout };
}

/** Tags that are called `t0` and so on. */
export const tagsOf = (...types: readonly DataType[]): TestTag[] =>
  types.map((type, index) => ({ name: `t${index}`, type }));
