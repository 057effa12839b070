import { ModbusPlant } from '@tagway/modbus/test';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Device } from './device.ts';

export type Plant = ModbusPlant<Device>;

/** A device that listens, and a started driver that is its client. */
export async function plantOf(changes: Partial<Settings> = {}, device = new Device()): Promise<Plant> {
  await (changes.transport_mode === 1 ? device.listenUdp() : device.listen());
  return startPlant(device, device.port, changes);
}

/** A started driver that reaches its device at this port, or listens there. */
export function startPlant(device: Device, port: number, changes: Partial<Settings> = {}): Promise<Plant> {
  return ModbusPlant.of(plugin, schema, device, { port, ...changes });
}
