import { appConformance } from '@tagway/pluginkit';
import { Collector } from './collector.ts';

appConformance(new URL('../', import.meta.url), {
  server: {
    peer: async () => {
      const collector = await Collector.start();
      return { port: collector.port, [Symbol.asyncDispose]: () => collector[Symbol.asyncDispose]() };
    },
    settings: (port) => ({
      url: `http://127.0.0.1:${port}/samples`,
      'batch-age': 20,
      timeout: 1000,
      'cache-disk-size': 0,
    }),
  },
  refusedSettings: { url: 'ftp://127.0.0.1' },
});
