import { driverConformance } from '@tagway/pluginkit';
import { Attribute, DataType } from '@tagway/sdk';
import { conformancePoints, conformanceWords } from '@tagway/plc-words/test';
import { AreaCode, Simulator } from './simulator.ts';

driverConformance(new URL('../', import.meta.url), {
  device: {
    async peer() {
      const simulator = new Simulator();
      simulator.d.set(conformanceWords);
      simulator.memory.addHole(AreaCode.D, 99);
      await simulator.listen();
      return simulator;
    },
    settings: (port) => ({ host: '127.0.0.1', port, timeout: 1000 }),
  },
  ...conformancePoints,
  points: [
    ...conformancePoints.points,
    { address: 'CIO10', type: DataType.FLOAT },
    { address: 'W10', type: DataType.INT64 },
    { address: 'H10', type: DataType.UINT64 },
    { address: 'EM0W10', type: DataType.DOUBLE },
    { address: 'F3', type: DataType.UINT8, attribute: Attribute.READ },
  ],
  writes: [
    ...conformancePoints.writes,
    { address: 'D203', type: DataType.INT64, value: -(2n ** 60n) },
    { address: 'W20.3', type: DataType.BIT, value: 1 },
  ],
});
