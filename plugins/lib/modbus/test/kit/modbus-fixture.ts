import type { Call, Point } from '@tagway/sdk';
import {
  checkedSettings,
  contextFor,
  definitionOf,
  DriverFixture,
  startedFixture,
  type ContextOverrides,
} from '@tagway/testkit';
import { shown, type Reading } from './readings.ts';

/** Nothing waits between requests. Tests have times that the schema refuses, to be done sooner. */
const times = { timeout: 1000, interval: 0, retry_interval: 0, degrade_time: 600 };
const usual = { connection_mode: 0, host: '127.0.0.1' };

/** A started Modbus driver and its device, if that is to end with it. */
export class ModbusFixture<Device extends Partial<AsyncDisposable> = object> extends DriverFixture<Device> {
  /** Starts a driver with the defaults of the schema, except that nothing waits between requests. */
  static async of<Device extends Partial<AsyncDisposable>>(
    plugin: object,
    schema: object,
    device: Device,
    changes: object,
    given?: ContextOverrides,
  ): Promise<ModbusFixture<Device>> {
    const settings = { ...checkedSettings<object>(schema, { ...usual, ...changes, ...times }), ...changes };
    const { context, record } = contextFor(settings, given);
    return startedFixture(new ModbusFixture(device, definitionOf<unknown>(plugin).create(context), record));
  }

  get device(): Device {
    return this.simulator;
  }

  /** Reads once: values as they are, faults as "fault CODE". */
  override async read(points: readonly Point[], cause?: Call['cause']): Promise<Reading[]> {
    return (await super.read(points, cause)).map(shown);
  }
}
