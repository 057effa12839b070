import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';
import { TransportMode } from '../src/settings.ts';
import { DeviceCode, Simulator } from './simulator.ts';

for (const transport of ['tcp', 'udp'] as const) {
  describe(`over ${transport}`, () => {
    driverConformance(new URL('../', import.meta.url), {
      device: {
        transport,
        async peer() {
          const simulator = new Simulator();
          simulator.d.set([1, 2, 0x5678, 0x1234, 0x4142, 0x4344]);
          simulator.memory.addHole(DeviceCode.D, 99);
          await (transport === 'tcp' ? simulator.listen() : simulator.listenUdp());
          return simulator;
        },
        settings: (port) => ({
          host: '127.0.0.1',
          port,
          timeout: 1000,
          transport_mode: transport === 'tcp' ? TransportMode.TCP : TransportMode.UDP,
        }),
      },
      points: [
        { address: 'D0' },
        { address: 'D2', type: DataType.INT32 },
        { address: 'W1F', type: DataType.FLOAT },
        { address: 'ZR100', type: DataType.DOUBLE },
        { address: 'D0.0', type: DataType.BIT },
        { address: 'X1F', type: DataType.BIT },
        { address: 'D4.4', type: DataType.STRING },
      ],
      refused: { address: 'D99' },
      malformed: { address: 'Q1' },
      writes: [
        { address: 'D201', value: 42 },
        { address: 'D209', type: DataType.FLOAT, value: 1.5 },
        { address: 'R7', type: DataType.DOUBLE, value: -1e300 },
        { address: 'M20', type: DataType.BIT, value: 1 },
        { address: 'D219.3', type: DataType.BIT, value: 1 },
        { address: 'D220.5', type: DataType.STRING, value: 'abcde' },
      ],
    });
  });
}
