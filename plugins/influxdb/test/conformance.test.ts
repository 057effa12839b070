import { appConformance } from '@tagway/pluginkit';
import { hasInfluxd, Influxd } from './servers.ts';

if (hasInfluxd)
  appConformance(new URL('../', import.meta.url), {
    server: {
      peer: () => Influxd.start(),
      settings: (port) => ({
        url: `http://127.0.0.1:${port}`,
        store: 0,
        database: 'plant',
        'batch-age': 20,
        timeout: 1000,
        'cache-disk-size': 0,
      }),
    },
    refusedSettings: { field: 'value' },
  });
else describe.skip('conformance of influxdb (skipped: influxdb is not installed)', () => undefined);
