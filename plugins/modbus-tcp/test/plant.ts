import { contextFor, readings, type Reading, type Record } from '@tagway/modbus/test';
import type { Call, Driver, Point } from '@tagway/sdk';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import { Device } from './device.ts';
import { settingsFor } from './settings.ts';

/** A driver, its device, and what the driver told its context. Disposing of it stops both. */
export interface Plant extends AsyncDisposable {
  readonly device: Device;
  readonly driver: Driver;
  readonly port: number;
  readonly record: Record;
  /** Its signal is the context's. */
  readonly run: AbortController;
  /** Reads once: values as they are, faults as "fault CODE". A read that throws gives the fault for every point. */
  read(points: readonly Point[], cause?: Call['cause']): Promise<Reading[]>;
}

/** A device that listens on TCP, and a started driver that is its client. */
export async function plantOf(changes: Partial<Settings> = {}, device = new Device()): Promise<Plant> {
  const port = await (changes.transport_mode === 1 ? device.listenUdp() : device.listen());
  return startPlant(device, port, settingsFor(port, changes));
}

export async function startPlant(device: Device, port: number, settings: Settings): Promise<Plant> {
  const { context, record, run } = contextFor(settings);
  const driver = (plugin as unknown as { create(given: typeof context): Driver }).create(context);
  await driver.start();
  return {
    device,
    driver,
    port,
    record,
    run,
    read: (points, cause) => readings(driver, points, cause),
    async [Symbol.asyncDispose]() {
      await driver.stop(AbortSignal.timeout(5000));
      await device.close();
    },
  };
}
