import { conformancePoints } from '@tagway/modbus/test';
import { driverConformance } from '@tagway/pluginkit';
import { Device } from './device.ts';

for (const transport of ['tcp', 'udp'] as const) {
  describe(`over ${transport}`, () => {
    driverConformance(new URL('../', import.meta.url), {
      device: {
        transport,
        peer: async () => {
          const device = new Device();
          device.memory.holes.add(99);
          await (transport === 'tcp' ? device.listen() : device.listenUdp());
          return device;
        },
        settings: (port) => ({
          host: '127.0.0.1',
          port,
          timeout: 1000,
          interval: 0,
          connection_mode: 0,
          transport_mode: transport === 'tcp' ? 0 : 1,
        }),
      },
      ...conformancePoints,
    });
  });
}
