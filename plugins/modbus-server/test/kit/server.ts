import {
  type AppContext,
  Attribute,
  DataType,
  type Fault,
  parseReference,
  type Sample,
  type TagWrite,
  type WriteOptions,
} from '@tagway/sdk';
import { layoutOf } from '@tagway/sdk/internal';
import {
  checkedSettings,
  fakeExclusive,
  contextFor,
  type ContextRecord,
  freePort,
  inputsFor,
  type InputSetting,
} from '@tagway/testkit';
import schema from '../../settings.schema.json' with { type: 'json' };
import { ModbusServerApp } from '../../src/server-app.ts';
import { checkSettings, type Settings } from '../../src/settings.ts';

export interface Written {
  readonly writes: readonly TagWrite[];
  readonly options: WriteOptions;
}

type Inputs = Readonly<Record<string, InputSetting>>;

/** A Modbus server without a gateway: a test says what its inputs are, and what becomes of its writes. */
export class TestServer implements AsyncDisposable {
  readonly port: number;
  readonly written: Written[] = [];
  readonly gauges = new Map<string, number>();
  /** What the gateway makes of writes. */
  answer: (written: Written) => Promise<readonly (Fault | undefined)[]> = ({ writes }) =>
    Promise.resolve(writes.map(() => undefined));
  /** What a device has when it is read at once. */
  reading: Sample | undefined;
  app!: ModbusServerApp;
  record!: ContextRecord;
  #settings: Settings;
  #inputs: Inputs = {};

  /** What nodes of one plugin do alone. */
  readonly exclusive: AppContext['exclusive'];

  private constructor(port: number, settings: Settings, exclusive: AppContext['exclusive']) {
    this.port = port;
    this.exclusive = exclusive;
    this.#settings = settings;
  }

  /** The lines of the table stand behind the names of all columns. */
  static async start(
    lines: readonly string[],
    settings: object = {},
    exclusive = fakeExclusive(),
  ): Promise<TestServer> {
    const port = await freePort();
    const server = new TestServer(port, settingsFor(port, lines, settings), exclusive);
    await server.run();
    return server;
  }

  async run(): Promise<void> {
    const { context, record } = contextFor(this.#settings, {
      exclusive: this.exclusive,
      gauge: (name, value) => void this.gauges.set(name, value),
    });
    this.record = record;
    this.app = new ModbusServerApp({
      ...context,
      read: () =>
        this.reading ? Promise.resolve(this.reading) : Promise.reject(new Error('Nothing is read.')),
      drivers: () => Promise.resolve([]),
      alarms: () => Promise.reject(new Error('No alarms are asked for.')),
      activeAlarms: () => Promise.reject(new Error('No alarms are asked for.')),
      history: () => Promise.reject(new Error('No history is asked for.')),
      login: () => Promise.reject(new Error('Nobody logs in.')),
      write: (writes, options = {}) => this.#write({ writes, options }),
    } satisfies AppContext<Settings>);
    await this.app.start();
    this.app.subscriptionsChanged([]);
    this.take(this.#inputs);
  }

  /** The values of the tags, by reference, from here on. Those that are not given are not there. */
  take(inputs: Inputs): void {
    this.#inputs = inputs;
    const points = this.#settings.table.split('\n').map((address) => ({ address }));
    this.app.deliverInputs(inputsFor(points, inputs, { fresh: Object.keys(inputs) }));
  }

  /** Another table. Returns whether the app goes on. */
  change(lines: readonly string[], settings: object = {}): boolean {
    this.#settings = settingsFor(this.port, lines, settings);
    return this.app.settingsChanged(this.#settings);
  }

  async stop(): Promise<void> {
    this.record.controller.abort();
    await this.app.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #write(written: Written): Promise<readonly (Fault | undefined)[]> {
    this.written.push(written);
    const { signal } = written.options;
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
    return Promise.race([this.answer(written), promise]);
  }
}

const head = 'tag,unit,table,address,type,order,scale,access,quality';

export function settingsFor(port: number, lines: readonly string[], settings: object = {}): Settings {
  const checked: Settings = checkedSettings(schema, {
    medium: 0,
    host: '127.0.0.1',
    port,
    writes: true,
    table: [head, ...lines].join('\n'),
    ...settings,
  });
  const fault = checkSettings(checked);
  if (fault !== undefined) throw fault;
  return checked;
}

/** A line of the table for the tag `plant/fast/NAME`. */
export function line(name: string, ...fields: readonly (number | string)[]): string {
  return `tag('plant/fast/${name}'),${fields.join(',')}`;
}

/** What a synchronous read gives for one number of the group. */
export function readingOf(reference: string, value: number): Sample {
  const { node, group, tag } = parseReference(reference)!;
  const layout = layoutOf(1, { driver: node, group, interval: 100 }, [
    {
      name: tag,
      type: DataType.UINT16,
      attribute: Attribute.READ | Attribute.WRITE,
      address: tag,
      precision: 0,
      decimal: 0,
      bias: 0,
    },
  ]);
  return {
    layout,
    timestamp: Date.now(),
    numbers: Float64Array.of(value),
    integers: new BigInt64Array(0),
    objects: [],
    faults: new Int32Array(0),
  };
}
