import { conformancePoints } from '@tagway/modbus/test';
import { driverConformance } from '@tagway/pluginkit';
import { Device } from './device.ts';

driverConformance(new URL('../', import.meta.url), {
  device: {
    peer: async () => {
      const device = new Device();
      device.memory.holes.add(99);
      await device.listen();
      return device;
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
  ...conformancePoints,
});
