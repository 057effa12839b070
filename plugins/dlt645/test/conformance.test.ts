import { driverConformance } from '@tagway/pluginkit';
import { Attribute, DataType } from '@tagway/sdk';
import { other, own } from './fixture.ts';
import { Simulator } from './simulator.ts';

const attribute = Attribute.READ;

driverConformance(new URL('../', import.meta.url), {
  device: {
    async peer() {
      const simulator = new Simulator();
      simulator.meter(own, {
        '02-01-01-00': '05 22',
        '02-02-01-00': '21 43 85',
        '00-01-00-00': '26 00 00 00',
        '04-00-04-01': '61 01 00 00 00 00',
        '01-01-00-00': '45 23 01 45 13 31 05 24',
        '05-06-01-01': '01 00 00 00 02 00 00 00',
      });
      simulator.meter(other, { '02-01-01-00': '06 22' });
      await simulator.listen();
      return simulator;
    },
    settings: (port) => ({
      link: 1,
      connection_mode: 0,
      host: '127.0.0.1',
      port,
      mail_address: Number(own),
      timeout: 500,
      interval: 0,
    }),
  },
  points: [
    { address: '02-01-01-00', type: DataType.UINT16, attribute },
    { address: '02-02-01-00', type: DataType.INT32, attribute },
    { address: '00-01-00-00', type: DataType.UINT64, attribute },
    { address: '04-00-04-01', type: DataType.STRING, attribute },
    { address: '01-01-00-00#T', type: DataType.STRING, attribute },
    { address: '05-06-01-01#1', type: DataType.UINT32, attribute },
    { address: `${other}#02-01-01-00`, type: DataType.UINT16, attribute },
  ],
  refused: { address: '02-01-02-00', type: DataType.UINT16, attribute },
  malformed: { address: '02-01-02', type: DataType.UINT16, attribute },
});
