import { driverConformance } from '@tagway/pluginkit';
import { Attribute, DataType } from '@tagway/sdk';
import { Simulator } from './simulator.ts';

const attribute = Attribute.READ;

driverConformance(new URL('../', import.meta.url), {
  device: {
    async peer() {
      const simulator = new Simulator();
      const bytes = Buffer.from('fffe123480000000ffffffff3fc0000041424300', 'hex');
      simulator.replies.set('1!3', bytes).set('1!4', bytes).set('2!3', bytes);
      await simulator.listen();
      return simulator;
    },
    settings: (port) => ({
      connection_mode: 0,
      host: '127.0.0.1',
      port,
      site: 1,
      timeout: 1000,
      interval: 0,
    }),
  },
  points: [
    { address: '3!0', type: DataType.INT16, attribute },
    { address: '3!2', type: DataType.UINT16, attribute },
    { address: '4!4', type: DataType.INT32, attribute },
    { address: '1!4!8', type: DataType.UINT32, attribute },
    { address: '2!3!12', type: DataType.FLOAT, attribute },
    { address: '3!16.4', type: DataType.STRING, attribute },
  ],
  refused: { address: '5!0', type: DataType.UINT16, attribute },
  malformed: { address: '3', type: DataType.UINT16, attribute },
});
