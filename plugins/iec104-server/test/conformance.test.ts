import { appConformance } from '@tagway/pluginkit';
import { persistentCentre } from './kit/persistent-centre.ts';

appConformance(new URL('../', import.meta.url), {
  server: {
    client: async (port) => persistentCentre(port),
    settings: (port) => ({ host: '127.0.0.1', port, t1: 2, t2: 1, t3: 3 }),
  },
  params: { points: 'tag,type,object\ntag0,35,100\ntag1,30,101\ntag2,35,102\ntag3,37,103' },
  refusedParams: { points: 'tag,type\na,30' },
  refusedSettings: { t1: 5, t2: 5 },
});
