import type { Call, Driver, Fault, LinkState, Point, Value } from '@tagway/sdk';
import { contextFor, definitionOf, statesOf, type ContextOverrides, type ContextRecord } from './context.ts';
import { callOf, read, readings, type Reading } from './readings.ts';
import { checkedSettings } from './settings.ts';
import { write } from './writes.ts';

/** What a driver is the client of: a simulator that listens and is stopped with the fixture, or only the port of something that others stop. */
export interface Peer extends Partial<AsyncDisposable> {
  readonly port: number;
}

/** A started driver, its simulated device, and the record of what the driver reports. Disposing of it stops both. */
export class DriverFixture<Simulator extends Partial<AsyncDisposable>> implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly driver: Driver;
  readonly record: ContextRecord;

  constructor(simulator: Simulator, driver: Driver, record: ContextRecord) {
    this.simulator = simulator;
    this.driver = driver;
    this.record = record;
  }

  get link(): LinkState | undefined {
    return this.record.links.at(-1)?.state;
  }

  get states(): LinkState[] {
    return statesOf(this.record);
  }

  /** The last reason that the driver gave for the state of its link. */
  get reason(): string {
    return this.record.links.findLast(({ report }) => report.reason !== undefined)?.report.reason ?? '';
  }

  /** Reads once: values and faults. */
  read(points: readonly Point[], cause?: Call['cause']): Promise<(Value | Fault)[]> {
    return read(this.driver, points, callOf(cause));
  }

  /** Reads once: values, and the codes of faults. */
  readings(points: readonly Point[], cause?: Call['cause']): Promise<Reading[]> {
    return readings(this.driver, points, callOf(cause));
  }

  /** Writes; entry `i` is undefined when write `i` was confirmed, its fault otherwise. */
  write(
    points: readonly Point[],
    values: readonly Value[],
    signal?: AbortSignal,
  ): Promise<(Fault | undefined)[]> {
    const writes = points.map((point, index) => ({ point, value: values[index] as Value }));
    return write(this.driver, writes, callOf('demand', signal));
  }

  /** As `write`, with the codes of faults in place of them. */
  async written(points: readonly Point[], values: readonly Value[]): Promise<(number | undefined)[]> {
    return (await this.write(points, values)).map((fault) => fault?.code);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.driver.stop(AbortSignal.timeout(5000));
    await this.simulator[Symbol.asyncDispose]?.();
  }
}

/** The driver of a plugin, not started, with these settings and the defaults of the schema. `overrides` replace parts of its context. `beyond` holds settings that the schema would refuse, such as shorter times. */
export function fixtureWith<Simulator extends Partial<AsyncDisposable>>(
  plugin: object,
  schema: object,
  simulator: Simulator,
  params: object,
  given?: ContextOverrides,
  beyond: object = {},
): DriverFixture<Simulator> {
  const settings = { ...checkedSettings<object>(schema, params), ...beyond };
  const { context, record } = contextFor<unknown>(settings, given);
  return new DriverFixture(simulator, definitionOf<unknown>(plugin).create(context), record);
}

/** Starts the driver; one that cannot start is stopped, and its device too. */
export async function startedFixture<Any extends DriverFixture<Partial<AsyncDisposable>>>(
  plant: Any,
): Promise<Any> {
  try {
    await plant.driver.start();
    return plant;
  } catch (error) {
    await plant[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts the driver of a plugin as the client of a device on this machine; its settings have the defaults of the schema and a short timeout. */
export function startFixture<Simulator extends Peer>(
  plugin: object,
  schema: object,
  simulator: Simulator,
  changes: object,
): Promise<DriverFixture<Simulator>> {
  const params = { host: '127.0.0.1', port: simulator.port, timeout: 1000, ...changes };
  return startedFixture(fixtureWith(plugin, schema, simulator, params));
}
