import { contextFor, readings, written, type Reading, type Record } from '@tagway/modbus/test';
import type { Context, Driver, Fault, Point, Value } from '@tagway/sdk';
import plugin from '../src/index.ts';
import type { SerialSettings, Settings, TcpSettings } from '../src/settings.ts';

const shared = {
  timeout: 1000,
  interval: 0,
  max_gap: 0,
  max_retries: 0,
  retry_interval: 0,
  device_degrade: 0,
  degrade_cycle: 2,
  degrade_time: 600,
  endianess: 1,
  endianess_64: 1,
  address_base: 1,
};

/** The schema's defaults, except that nothing waits between requests. */
export function tcpSettings(port: number, changes: Partial<TcpSettings> = {}): TcpSettings {
  return { ...shared, link: 1, connection_mode: 0, host: '127.0.0.1', port, ...changes };
}

export function serialSettings(device: string, changes: Partial<SerialSettings> = {}): SerialSettings {
  return { ...shared, link: 0, device, stop: 0, parity: 0, baud: 0, data: 3, ...changes };
}

/** Takes turns as the runner does. */
export type Exclusive = Context['exclusive'];

export function turns(): Exclusive {
  const tails = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (tails.get(key) ?? Promise.resolve()).then(work);
    tails.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  };
}

/** A started driver, and what it told its context. Disposing of it stops the driver. */
export interface Plant extends AsyncDisposable {
  readonly driver: Driver;
  readonly record: Record;
  read(points: readonly Point[]): Promise<Reading[]>;
  /** Writes one value; undefined when it succeeded. */
  write(point: Point, value: Value): Promise<Fault | undefined>;
}

export async function plantOf(settings: Settings, exclusive = turns(), node = 'plant'): Promise<Plant> {
  const { context, record } = contextFor(settings);
  const given = { ...context, node, exclusive };
  const driver = (plugin as unknown as { create(context: Context<Settings>): Driver }).create(given);
  try {
    await driver.start();
  } catch (error) {
    await driver.stop(AbortSignal.timeout(5000));
    throw error;
  }
  return {
    driver,
    record,
    read: (points) => readings(driver, points),
    write: async (point, value) => (await written(driver, [{ point, value }]))[0],
    [Symbol.asyncDispose]: () => driver.stop(AbortSignal.timeout(5000)),
  };
}
