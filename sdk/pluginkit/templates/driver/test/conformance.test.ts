import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';

driverConformance(new URL('../', import.meta.url), {
  device: {
    peer: new URL('device.wire', import.meta.url),
    settings: (port) => ({ host: '127.0.0.1', port, timeout: 1000 }),
  },
  points: [
    { address: 'temperature', type: DataType.FLOAT },
    { address: 'total', type: DataType.INT64 },
    { address: 'name', type: DataType.STRING },
  ],
  stamped: ['temperature'],
  refused: { address: 'missing', type: DataType.FLOAT },
  malformed: { address: 'No Such Address', type: DataType.FLOAT },
  writes: [{ address: 'setpoint', type: DataType.FLOAT, value: 20.25 }],
});
