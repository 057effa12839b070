import { ModbusFixture } from '@tagway/modbus/test';
import type { Context } from '@tagway/sdk';
import { fakeExclusive } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };

export type Fixture = ModbusFixture;

export const tcpSettings = (port: number, changes: Partial<Settings> = {}): object => ({
  link: 1,
  port,
  ...changes,
});

export const serialSettings = (device: string, changes: Partial<Settings> = {}): object => ({
  link: 0,
  device,
  stop: 0,
  parity: 0,
  baud: 0,
  data: 3,
  ...changes,
});

/** A started driver. Disposing of it stops the driver. */
export function openFixture(
  settings: object,
  exclusive: Context['exclusive'] = fakeExclusive(),
  node = 'plant',
): Promise<Fixture> {
  return ModbusFixture.of(plugin, schema, {}, settings, { exclusive, node });
}
