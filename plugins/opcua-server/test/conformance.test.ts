import { appConformance } from '@tagway/pluginkit';
import { PersistentClient } from './kit/persistent-client.ts';

appConformance(new URL('../', import.meta.url), {
  server: {
    client: async (port) => new PersistentClient(port),
    settings: (port) => ({ host: '127.0.0.1', port, unsecured: true, anonymous: true }),
  },
  params: { path: 'site/line', name: '{group}.{tag}' },
  refusedParams: { name: 'all the same' },
  refusedSettings: { hosts: 'no name' },
});
