import { startPlant, type Plant as PlantOf } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Plant = PlantOf<Simulator>;

/** A PLC that listens, and a started driver that is its client. */
export async function plantOf(changes: Partial<Settings> = {}, simulator = new Simulator()): Promise<Plant> {
  await simulator.listen();
  return startPlant(plugin, schema, simulator, changes);
}
