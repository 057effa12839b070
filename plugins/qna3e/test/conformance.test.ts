import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';
import { conformancePoints, conformanceWords } from '@tagway/plc-words/test';
import { TransportMode } from '../src/settings.ts';
import { DeviceCode, Simulator } from './simulator.ts';

for (const transport of ['tcp', 'udp'] as const) {
  describe(`over ${transport}`, () => {
    driverConformance(new URL('../', import.meta.url), {
      device: {
        transport,
        async peer() {
          const simulator = new Simulator();
          simulator.d.set(conformanceWords);
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
      ...conformancePoints,
      points: [
        ...conformancePoints.points,
        { address: 'W1F', type: DataType.FLOAT },
        { address: 'ZR100', type: DataType.DOUBLE },
        { address: 'X1F', type: DataType.BIT },
      ],
      writes: [
        ...conformancePoints.writes,
        { address: 'R7', type: DataType.DOUBLE, value: -1e300 },
        { address: 'M20', type: DataType.BIT, value: 1 },
        { address: 'D219.3', type: DataType.BIT, value: 1 },
      ],
    });
  });
}
