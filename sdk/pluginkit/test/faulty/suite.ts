import { driverConformance } from '../../src/index.ts';
import { DataType } from '@tagway/sdk';

driverConformance(new URL('./', import.meta.url), {
  device: {
    peer: new URL('../../templates/driver/test/device.wire', import.meta.url),
    settings: (port) => ({ host: '127.0.0.1', port, timeout: 3000 }),
  },
  points: [
    { address: 'temperature', type: DataType.FLOAT },
    { address: 'total', type: DataType.INT64 },
  ],
  refused: { address: 'missing', type: DataType.FLOAT },
  recovery: 5000,
  stamped: ['temperature'],
  failingSettings: { timeout: 111 },
  writes: [{ address: 'setpoint', type: DataType.FLOAT, value: 20.25 }],
  malformed: { address: 'No Such Address', type: DataType.FLOAT },
});
