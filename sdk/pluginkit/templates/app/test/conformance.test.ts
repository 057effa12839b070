import { appConformance } from '@tagway/pluginkit';
import { startServer } from './server.ts';

appConformance(new URL('../', import.meta.url), {
  server: {
    peer: startServer,
    settings: (port) => ({ url: `http://127.0.0.1:${port}/samples`, timeout: 1000 }),
  },
  refusedSettings: { url: 'http://' },
});
