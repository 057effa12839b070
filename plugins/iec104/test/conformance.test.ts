import { setTimeout } from 'node:timers/promises';
import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { Station, unitOf } from './station.ts';

/** A station with an object of each kind; the object 9999 is missing. */
async function station(): Promise<Station> {
  const station = await Station.start();
  return station
    .add(1, 1, 1)
    .add(3, 2, 2)
    .add(5, 3, 0x7b, 0)
    .add(7, 4, 0x78, 0x56, 0x34, 0x92, 0)
    .add(9, 5, 0x00, 0xc0, 0)
    .add(11, 6, 0x34, 0x12, 0)
    .add(13, 7, 0x00, 0x00, 0xc0, 0x3f, 0)
    .add(1, 8, 0);
}

driverConformance(new URL('../', import.meta.url), {
  device: {
    peer: station,
    settings: (port) => ({ host: '127.0.0.1', port, interval: 0, t0: 2, t1: 2, t2: 1, t3: 2 }),
  },
  points: [
    { address: '1', type: DataType.BIT },
    { address: '1', type: DataType.BOOL },
    { address: '2', type: DataType.UINT8 },
    { address: '3', type: DataType.INT8 },
    { address: '4', type: DataType.UINT32 },
    { address: '5', type: DataType.FLOAT },
    { address: '6', type: DataType.INT16 },
    { address: '7', type: DataType.FLOAT },
  ],
  refused: { address: '9999', type: DataType.FLOAT },
  malformed: { address: '0', type: DataType.FLOAT },
  writes: [
    { address: '7', type: DataType.FLOAT, value: 20.25 },
    { address: '6', type: DataType.INT16, value: -1234 },
    { address: '4', type: DataType.INT32, value: -2 },
  ],
  refusedSettings: { t2: 2 },
  pushes: {
    point: { address: '8', type: DataType.BIT },
    values: [1, 0, 1, 0, 1],
    report: async (device) => {
      if (!(device instanceof Station)) throw new Error('The device is no station.');
      await until('it was interrogated', () => (device.visits.at(-1)?.vs ?? 0) >= device.objects.size);
      // A station cannot see when a group of the gateway begins to listen, so it says all of it several times.
      for (let round = 0; round < 10; round++) {
        for (const value of [1, 0, 1, 0, 1]) device.visit.send(unitOf(1, 3, [[8, value]]));
        await setTimeout(100);
      }
    },
  },
});
