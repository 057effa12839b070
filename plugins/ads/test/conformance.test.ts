import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';
import { variable } from './program.ts';
import { Simulator } from './simulator.ts';

async function controller(): Promise<Simulator> {
  const device = new Simulator();
  device.add(
    variable('MAIN.speed', 'LREAL', '0000000000000440'),
    variable('MAIN.title', 'STRING(20)', '48616c6c6f'),
    variable('MAIN.setpoint', 'REAL', ''),
  );
  await device.listen();
  return device;
}

describe('the conformance suite', () => {
  driverConformance(new URL('../', import.meta.url), {
    device: {
      peer: controller,
      settings: (port) => ({
        host: '127.0.0.1',
        port,
        timeout: 1000,
        src_ams_net_id: '10.0.0.1.1.1',
        dst_ams_net_id: '5.23.91.10.1.1',
      }),
    },
    points: [
      { address: '0x4020,0' },
      { address: '0x4020,2', type: DataType.BOOL },
      { address: '0x4020,4', type: DataType.INT64 },
      { address: '0x4020,12', type: DataType.UINT64 },
      { address: '0x4020,20', type: DataType.FLOAT },
      { address: '0x4020,24.8', type: DataType.STRING },
      { address: '0x4020,32.4', type: DataType.BYTES },
      { address: 'MAIN.speed', type: DataType.DOUBLE },
      { address: 'MAIN.title', type: DataType.STRING },
    ],
    browsed: [{ name: 'speed', description: 'LREAL' }],
    refused: { address: '0x9999,0' },
    malformed: { address: '0x4020' },
    writes: [
      { address: '0x4020,200', value: 42 },
      { address: '0x4020,204', type: DataType.INT64, value: -(2n ** 60n) },
      { address: '0x4020,300.65000', type: DataType.STRING, value: '€'.repeat(21_000) },
      { address: 'MAIN.setpoint', type: DataType.FLOAT, value: 1.5 },
    ],
  });
});
