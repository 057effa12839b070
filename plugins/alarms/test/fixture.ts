import { DataType, type Call, type DriverContext, type Fault, type Point, type Value } from '@tagway/sdk';
import { callOf, contextFor, inputsFor, OutcomeRecorder, type InputSetting } from '@tagway/testkit';
import { AlarmsDriver } from '../src/driver.ts';
import type { Settings } from '../src/settings.ts';

/** A running driver, the tags of a group, and what their inputs have. */
export class Alarms {
  readonly driver: AlarmsDriver;
  readonly logs: string[];
  readonly inputs: Record<string, InputSetting> = {};
  points: readonly Point[] = [];
  /** Milliseconds since the epoch by the clock of the gateway. */
  now = 1_700_000_000_000;
  last = new OutcomeRecorder();

  private constructor(overrides: Partial<DriverContext<Settings>>) {
    const { context, record } = contextFor<Settings>({ longest_shelf: 28_800 }, (made) => ({
      clock: {
        now: () => this.now,
        monotonic: () => this.now,
        sleep: () => Promise.resolve(),
        timer: () => ({ [Symbol.dispose]: () => made.counts.clear() }),
      },
      ...overrides,
    }));
    this.logs = record.logs;
    this.driver = new AlarmsDriver(context);
  }

  static async start(overrides: Partial<DriverContext<Settings>> = {}): Promise<Alarms> {
    const alarms = new Alarms(overrides);
    await alarms.driver.start();
    return alarms;
  }

  /** The tags of the group, whose numbers are their places from 1 on and whose names are "tag1", "tag2" and so on. */
  group(...tags: readonly (string | readonly [address: string, type: DataType])[]): this {
    this.points = Object.freeze(
      tags.map((entry, index) => {
        const [address, type] = typeof entry === 'string' ? ([entry, DataType.STRING] as const) : entry;
        return { id: index + 1, name: `tag${index + 1}`, address, type, attribute: 3 };
      }),
    );
    return this;
  }

  /** New values of inputs, some seconds later; what the first tag has then, if anything was stored of it. */
  async arrive(values: Readonly<Record<string, InputSetting>>, seconds = 1): Promise<Value | undefined> {
    Object.assign(this.inputs, values);
    this.now += seconds * 1000;
    return (await this.#read('input', this.points, Object.keys(values))).get(0);
  }

  /** A tick of the group, some seconds later; what the tags have then. */
  async tick(seconds = 1): Promise<Value[]> {
    this.now += seconds * 1000;
    return [...(await this.#read('poll', this.points, [])).entries()]
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);
  }

  async test(address: string): Promise<Value | undefined> {
    const point = { name: '', address, type: DataType.STRING, attribute: 1 };
    return (await this.#read('test', Object.freeze([point]), [])).get(0);
  }

  /** Writes commands to the first tag; the sentence of the fault of each, or "done". */
  write(...commands: readonly string[]): Promise<string[]> {
    return this.writeTo(...commands.map((command) => [0, command] as const));
  }

  async writeTo(...commands: readonly (readonly [index: number, command: string])[]): Promise<string[]> {
    const results = commands.map(() => 'unconfirmed');
    const into = {
      done: (index: number) => void (results[index] = 'done'),
      fault: (index: number, fault: Fault) => void (results[index] = fault.message),
    };
    const writes = commands.map(([index, value]) => ({
      point: this.points[index]!,
      value,
      by: { kind: 'user', name: 'eva' } as const,
    }));
    await this.driver.write(writes, into, callOf('demand'));
    return results;
  }

  async #read(cause: Call['cause'], points: readonly Point[], fresh: string[]): Promise<Map<number, Value>> {
    const inputs = inputsFor(points, this.inputs, { fresh, timestamp: this.now });
    this.last = new OutcomeRecorder();
    await this.driver.read(points, this.last, { ...callOf(cause), inputs });
    return this.last.outcomes;
  }
}
