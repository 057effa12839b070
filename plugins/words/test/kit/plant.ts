import { compileSettings } from '@tagway/schemas/validate';
import type { Driver } from '@tagway/sdk';
import { contextFor, definitionOf, type Record } from './context.ts';
import type { FrameServer } from './frame-server.ts';

/** A driver, its PLC, and what the driver told its context. Disposing of it stops both. */
export interface Plant<Simulator extends FrameServer> extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly driver: Driver;
  readonly record: Record;
}

/** Starts the driver of a plugin as the client of a PLC that listens; its settings have the defaults of the schema and a short timeout. */
export async function startPlant<Simulator extends FrameServer>(
  plugin: object,
  schema: object,
  simulator: Simulator,
  changes: object,
): Promise<Plant<Simulator>> {
  const params = { host: '127.0.0.1', port: simulator.port, timeout: 1000, ...changes };
  const result = compileSettings(schema)(params);
  if ('message' in result) throw new Error(result.message);
  const { context, record } = contextFor(result.settings);
  const driver = definitionOf<typeof result.settings>(plugin).create(context);
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
