import {
  DataType,
  type Call,
  type DriverContext,
  type Fault,
  type Point,
  type Value,
  type Writer,
} from '@tagway/sdk';
import { callOf, contextFor, inputsFor, OutcomeRecorder, type InputSetting } from '@tagway/testkit';
import { CalculationDriver } from '../src/driver.ts';
import type { Settings } from '../src/settings.ts';

/** What a point has after a read: its value, or the sentence of its fault. */
export type Outcome = Value;

/** A running driver, its points, and what their inputs have. */
export class Calculations {
  readonly driver: CalculationDriver;
  readonly context: DriverContext<Settings>;
  readonly logs: string[];
  readonly inputs: Record<string, InputSetting> = {};
  points: readonly Point[] = [];
  /** Milliseconds since the epoch. */
  now = 1_700_000_000_000;
  last = new OutcomeRecorder();

  constructor(settings: Partial<Settings> = {}, overrides: Partial<DriverContext<Settings>> = {}) {
    const made = contextFor<Settings>({ evaluate: 0, save_interval: 3600, ...settings }, (record) => ({
      clock: {
        now: () => this.now,
        monotonic: () => this.now,
        sleep: () => Promise.resolve(),
        timer: () => ({ [Symbol.dispose]: () => record.counts.clear() }),
      },
      ...overrides,
    }));
    this.context = made.context;
    this.logs = made.record.logs;
    this.driver = new CalculationDriver(made.context);
  }

  static async start(
    settings: Partial<Settings> = {},
    overrides: Partial<DriverContext<Settings>> = {},
  ): Promise<Calculations> {
    const calculations = new Calculations(settings, overrides);
    await calculations.driver.start();
    return calculations;
  }

  /** The tags of the group, by their numbers in the gateway. */
  group(tags: readonly (readonly [id: number, address: string, type?: DataType])[]): void {
    this.points = Object.freeze(
      tags.map(([id, address, type = DataType.DOUBLE]) => ({
        id,
        name: `tag${id}`,
        address,
        type,
        attribute: 3,
      })),
    );
  }

  /** New values of inputs, some seconds later; what the driver stores for them. */
  async arrive(values: Readonly<Record<string, InputSetting>>, seconds = 1): Promise<Map<number, Outcome>> {
    Object.assign(this.inputs, values);
    this.now += seconds * 1000;
    return this.#read('input', this.points, Object.keys(values));
  }

  /** A tick of the group, some seconds later; the outcomes in order. */
  async tick(seconds = 1): Promise<Outcome[]> {
    this.now += seconds * 1000;
    return [...(await this.#read('poll', this.points, [])).values()];
  }

  async test(address: string, type: DataType = DataType.DOUBLE): Promise<Outcome | undefined> {
    const point = { name: '', address, type, attribute: 1 };
    return (await this.#read('test', Object.freeze([point]), [])).get(0);
  }

  /** Writes; the code of the fault of each write, 0 when it was confirmed. */
  async write(values: readonly (readonly [index: number, value: Value, by?: Writer])[]): Promise<number[]> {
    const results = values.map(() => -1);
    const writes = values.map(([index, value, by]) => ({
      point: this.points[index]!,
      value,
      ...(by === undefined ? {} : { by }),
    }));
    const into = {
      done: (index: number) => void (results[index] = 0),
      fault: (index: number, fault: Fault) => void (results[index] = fault.code),
    };
    await this.driver.write(writes, into, callOf('demand'));
    return results;
  }

  async #read(
    cause: Call['cause'],
    points: readonly Point[],
    fresh: string[],
  ): Promise<Map<number, Outcome>> {
    const inputs = inputsFor(points, this.inputs, { fresh, timestamp: this.now });
    this.last = new OutcomeRecorder();
    await this.driver.read(points, this.last, { ...callOf(cause), inputs });
    return this.last.outcomes;
  }
}
