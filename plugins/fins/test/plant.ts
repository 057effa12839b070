import { compileSettings } from '@tagway/schemas/validate';
import type { Driver } from '@tagway/sdk';
import { contextFor, definitionOf, type Record } from '@tagway/words/test';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

/** A driver, its PLC, and what the driver told its context. Disposing of it stops both. */
export interface Plant extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly driver: Driver;
  readonly record: Record;
}

/** Settings with the defaults of the schema. */
export function settingsFor(port: number, changes: Partial<Settings> = {}): Settings {
  const result = compileSettings(schema)({ host: '127.0.0.1', port, timeout: 1000, ...changes });
  if ('message' in result) throw new Error(result.message);
  return result.settings as unknown as Settings;
}

/** A PLC that listens, and a started driver that is its client. */
export async function plantOf(changes: Partial<Settings> = {}, simulator = new Simulator()): Promise<Plant> {
  const port = await simulator.listen();
  const { context, record } = contextFor(settingsFor(port, changes));
  const driver = definitionOf<Settings>(plugin).create(context);
  await driver.start();
  return {
    simulator,
    driver,
    record,
    async [Symbol.asyncDispose]() {
      await driver.stop(AbortSignal.timeout(5000));
      await simulator.close();
    },
  };
}
