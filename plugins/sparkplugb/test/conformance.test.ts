import { countingBroker } from '@tagway/mqtt-client/test';
import { appConformance } from '@tagway/pluginkit';

appConformance(new URL('../', import.meta.url), {
  server: {
    peer: () => countingBroker((topic) => topic.includes('/DDATA/')),
    settings: (port) => ({
      'client-id': `conformance-${port}`,
      'group-id': 'plant',
      'node-id': `edge-${port}`,
      host: '127.0.0.1',
      port,
      'rebirth-debounce': 100,
    }),
  },
  refusedSettings: { 'group-id': 'a/b' },
  holdsData: (sent) => sent.includes('DDATA'),
});
