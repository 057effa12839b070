import { ModbusFixture } from '@tagway/modbus/test';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Device } from './device.ts';

export type Fixture = ModbusFixture<Device>;

/** A device that listens, and a started driver that is its client. */
export async function openFixture(changes: Partial<Settings> = {}, device = new Device()): Promise<Fixture> {
  await (changes.transport_mode === 1 ? device.listenUdp() : device.listen());
  return fixtureAt(device, device.port, changes);
}

/** A started driver that reaches its device at this port, or listens there. */
export function fixtureAt(device: Device, port: number, changes: Partial<Settings> = {}): Promise<Fixture> {
  return ModbusFixture.of(plugin, schema, device, { port, ...changes });
}
