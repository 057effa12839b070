import { countingBroker } from '@tagway/mqtt-client/test';
import { appConformance } from '@tagway/pluginkit';

appConformance(new URL('../', import.meta.url), {
  server: {
    peer: () => countingBroker(() => true),
    settings: (port) => ({
      'client-id': `conformance-${port}`,
      host: '127.0.0.1',
      port,
      format: 0,
      'cache-mem-size': 0,
      'cache-disk-size': 0,
    }),
  },
  params: { topic: 'plant/group' },
});
