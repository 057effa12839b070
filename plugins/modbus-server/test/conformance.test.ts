import { appConformance } from '@tagway/pluginkit';
import { persistentMaster } from './kit/persistent-master.ts';

appConformance(new URL('../', import.meta.url), {
  server: {
    client: async (port) => persistentMaster(port),
    settings: (port) => ({
      medium: 0,
      host: '127.0.0.1',
      port,
      table: "tag,table,address,type\ntag('plant/fast/level'),holding,1,FLOAT",
    }),
  },
  inputs: {
    values: { 'plant/fast/level': 1.5 },
    others: { 'plant/fast/level': 2.5 },
    alone: true,
  },
  // A master is given what the table has, whether or not there are subscriptions.
  holdsData: () => false,
  params: { unit: 1, address: 100 },
  refusedParams: { unit: 1000 },
  refusedSettings: { table: 'tag,table,address\nplant/fast/level,coil,1' },
});
