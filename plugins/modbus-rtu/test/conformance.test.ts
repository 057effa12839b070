import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';
import { Device } from './device.ts';

driverConformance(new URL('../', import.meta.url), {
  device: {
    peer: async () => {
      const device = new Device();
      device.holes.add(99);
      return { port: await device.listen(), [Symbol.asyncDispose]: () => device.close() };
    },
    settings: (port) => ({
      link: 1,
      connection_mode: 0,
      host: '127.0.0.1',
      port,
      timeout: 1000,
      interval: 0,
    }),
  },
  points: [
    { address: '1!400001' },
    { address: '1!400003', type: DataType.INT32 },
    { address: '1!400005', type: DataType.INT64 },
    { address: '1!400013', type: DataType.FLOAT },
    { address: '1!000001', type: DataType.BIT },
    { address: '1!400020.4', type: DataType.STRING },
    { address: '1!400024.4', type: DataType.BYTES },
  ],
  refused: { address: '1!400100' },
  malformed: { address: '1!500001' },
  writes: [
    { address: '1!400201', value: 42 },
    { address: '1!400203', type: DataType.INT64, value: -(2n ** 60n) },
    { address: '1!400209', type: DataType.FLOAT, value: 1.5 },
  ],
});
