import { compileSettings } from '@tagway/schemas/validate';
import { Attribute, DataType, type Driver, type Point } from '@tagway/sdk';
import { contextFor, definitionOf, type Record } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

/** The meter of the settings, and another one. */
export const own = '000000000161';
export const other = '210220003011';

/** A driver, its meters, and what the driver told its context. Disposing of it stops both. */
export interface Plant extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly driver: Driver;
  readonly record: Record;
}

/** Settings with the defaults of the schema, but no pause between requests and short waits. */
export function settingsFor(changes: object): Settings {
  const short = { mail_address: Number(own), timeout: 300, interval: 0, max_retries: 0 };
  const result = compileSettings(schema)({ ...short, ...changes });
  if ('message' in result) throw new Error(result.message);
  return result.settings as unknown as Settings;
}

export function tcp(port: number, changes: object = {}): Settings {
  return settingsFor({ link: 1, connection_mode: 0, host: '127.0.0.1', port, ...changes });
}

export function serial(device: string, changes: object = {}): Settings {
  return settingsFor({ link: 0, device, stop: 0, parity: 2, baud: 4, data: 3, ...changes });
}

/** A started driver. */
export async function driverOf(
  settings: Settings,
): Promise<{ driver: Driver; record: Record } & AsyncDisposable> {
  const { context, record } = contextFor(settings);
  const driver = definitionOf<Settings>(plugin).create(context);
  await driver.start();
  return { driver, record, [Symbol.asyncDispose]: () => driver.stop(AbortSignal.timeout(5000)) };
}

/** Meters that listen, and a started driver that is their client. */
export async function plantOf(changes: object = {}, simulator = new Simulator()): Promise<Plant> {
  const port = await simulator.listen();
  const started = await driverOf(tcp(port, changes));
  return {
    simulator,
    driver: started.driver,
    record: started.record,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await simulator.close();
    },
  };
}

/** Points from pairs of address and type; UINT32 when the type is left out. */
export function pointsOf(...tags: readonly (string | readonly [string, DataType])[]): readonly Point[] {
  return Object.freeze(
    tags.map((tag, index) => {
      const [address, type] = typeof tag === 'string' ? [tag, DataType.UINT32] : tag;
      return { name: `tag${index}`, address, type, attribute: Attribute.READ };
    }),
  );
}
