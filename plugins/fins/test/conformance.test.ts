import { driverConformance } from '@tagway/pluginkit';
import { Attribute, DataType } from '@tagway/sdk';
import { AreaCode, Simulator } from './simulator.ts';

driverConformance(new URL('../', import.meta.url), {
  device: {
    async peer() {
      const simulator = new Simulator();
      simulator.d.set([1, 2, 0x5678, 0x1234, 0x4142, 0x4344]);
      simulator.memory.addHole(AreaCode.D, 99);
      await simulator.listen();
      return simulator;
    },
    settings: (port) => ({ host: '127.0.0.1', port, timeout: 1000 }),
  },
  points: [
    { address: 'D0' },
    { address: 'D2', type: DataType.INT32 },
    { address: 'CIO10', type: DataType.FLOAT },
    { address: 'W10', type: DataType.INT64 },
    { address: 'H10', type: DataType.UINT64 },
    { address: 'EM0W10', type: DataType.DOUBLE },
    { address: 'D0.0', type: DataType.BIT },
    { address: 'D4.4', type: DataType.STRING },
    { address: 'F3', type: DataType.UINT8, attribute: Attribute.READ },
  ],
  refused: { address: 'D99' },
  malformed: { address: 'Q1' },
  writes: [
    { address: 'D201', value: 42 },
    { address: 'D203', type: DataType.INT64, value: -(2n ** 60n) },
    { address: 'D209', type: DataType.FLOAT, value: 1.5 },
    { address: 'W20.3', type: DataType.BIT, value: 1 },
    { address: 'D220.5', type: DataType.STRING, value: 'abcde' },
  ],
});
