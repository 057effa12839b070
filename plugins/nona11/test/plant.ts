import { compileSettings } from '@tagway/schemas/validate';
import { Attribute, DataType, type Driver, type Point } from '@tagway/sdk';
import { contextFor, definitionOf, type Record } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

/** A driver, its device, and what the driver told its context. Disposing of it stops both. */
export interface Plant extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly driver: Driver;
  readonly record: Record;
}

/** A started driver, with the defaults of the schema but no pause between requests. */
export async function driverOf(
  port: number,
  changes: Partial<Settings> = {},
): Promise<{ driver: Driver; record: Record } & AsyncDisposable> {
  const params = {
    connection_mode: 0,
    host: '127.0.0.1',
    port,
    site: 1,
    timeout: 1000,
    interval: 0,
    ...changes,
  };
  const result = compileSettings(schema)(params);
  if ('message' in result) throw new Error(result.message);
  const { context, record } = contextFor(result.settings as unknown as Settings);
  const driver = definitionOf<Settings>(plugin).create(context);
  await driver.start();
  return { driver, record, [Symbol.asyncDispose]: () => driver.stop(AbortSignal.timeout(5000)) };
}

/** A device that listens, and a started driver that is its client. */
export async function plantOf(changes: Partial<Settings> = {}, simulator = new Simulator()): Promise<Plant> {
  const started = await driverOf(await simulator.listen(), changes);
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

/** Points from pairs of address and type; UINT16 when the type is left out. */
export function pointsOf(...tags: readonly (string | readonly [string, DataType])[]): readonly Point[] {
  return Object.freeze(
    tags.map((tag, index) => {
      const [address, type] = typeof tag === 'string' ? [tag, DataType.UINT16] : tag;
      return { name: `tag${index}`, address, type, attribute: Attribute.READ };
    }),
  );
}
