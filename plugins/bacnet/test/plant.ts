import { setTimeout as sleep } from 'node:timers/promises';
import { Attribute, DataType, type Point } from '@tagway/sdk';
import { type Given, pointsWith, plantWith, type Plant as PlantOf, started } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Plant = PlantOf<object>;

/** A driver of the device at this port, not started. In a hurry its pauses of up to 10 s take 400 ms: time enough for a device to answer. */
export function idlePlantAt(port: number, changes: Partial<Settings> = {}): Plant {
  const params = {
    ...{ host: '127.0.0.1', port, timeout: 500, broadcast: '127.0.0.1', discovery_port: 0 },
    ...changes,
    bbmd_ttl: 300,
  };
  const given: Given = (record) => ({
    clock: {
      now: () => Date.now() + record.later,
      monotonic: () => performance.now() + record.later,
      sleep: (ms, signal) =>
        sleep(
          record.hurry && ms <= 10_000 ? Math.min(ms, 400) : ms,
          undefined,
          signal === undefined ? {} : { signal },
        ),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, record.hurry ? Math.min(ms, 50) : ms);
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
  });
  return plantWith(plugin, schema, {}, params, given, changes);
}

/** A started driver. */
export function plantAt(port: number, changes: Partial<Settings> = {}): Promise<Plant> {
  return started(idlePlantAt(port, changes));
}

const all = pointsWith(DataType.FLOAT, Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE);

/** Points from pairs of address and type; FLOAT when the type is left out. */
export function pointsOf(...tags: readonly (string | readonly [string, DataType])[]): readonly Point[] {
  return all(...tags).map((point) =>
    point.address.includes('NULL') ? { ...point, attribute: Attribute.WRITE } : point,
  );
}

/** A simulator and a driver of it, which is connected. */
export async function withPlant(
  work: (plant: Plant, device: Simulator) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (device: Simulator) => void = () => undefined,
): Promise<void> {
  await using device = new Simulator();
  prepare(device);
  await device.listen();
  await using plant = await plantAt(device.port, changes);
  await work(plant, device);
}
