import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';
import { Simulator } from './simulator.ts';

describe('as a driver', () => {
  driverConformance(new URL('../', import.meta.url), {
    device: {
      peer: async () => {
        const plc = new Simulator();
        const block = Buffer.alloc(40_000);
        block.set([20, 3, ...Buffer.from('abc')], 60);
        plc.blocks.set(1, block);
        await plc.listen();
        return plc;
      },
      settings: (port) => ({ host: '127.0.0.1', port, rack: 0, slot: 1, timeout: 1000 }),
    },
    points: [
      { address: 'DB1.DBW0' },
      { address: 'DB1.DBW2', type: DataType.UINT32 },
      { address: 'DB1.DBW6', type: DataType.FLOAT },
      { address: 'DB1.DBW10', type: DataType.DOUBLE },
      { address: 'DB1.DBW60.20', type: DataType.STRING },
      { address: 'DB1.DBW90.8', type: DataType.BYTES },
      { address: 'M3.1', type: DataType.BIT },
      { address: 'I3.1', type: DataType.BOOL, attribute: 1 },
      { address: 'T4', type: DataType.UINT32 },
      { address: 'C4', type: DataType.UINT16 },
    ],
    refused: { address: 'DB2.DBW0' },
    malformed: { address: 'DB1.DBX0' },
    writes: [
      { address: 'DB1.DBW200', value: -42 },
      { address: 'DB1.DBW204', type: DataType.DOUBLE, value: -1.5e300 },
      { address: 'DB1.DBW220.10', type: DataType.STRING, value: 'grün' },
      { address: 'DB1.DBW240.10D', type: DataType.STRING, value: '中文' },
      { address: 'DB1.DBW500.254', type: DataType.STRING, value: 'ü'.repeat(127) },
      { address: 'DB1.DBW1000.16382D', type: DataType.STRING, value: '中'.repeat(16_382) },
      { address: 'M9.1', type: DataType.BIT, value: 1 },
      { address: 'T9', type: DataType.UINT32, value: 12_300 },
    ],
  });
});
