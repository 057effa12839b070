import { app } from '@tagway/sdk';
import { Database } from './database.ts';
import { InfluxApp, preview } from './influxdb.ts';
import { checkSettings, type Settings } from './settings.ts';

/** Writes what drivers read to a store that takes line protocol. */
export default app<Settings>({
  create: (context) => new InfluxApp(context),
  checkSettings,
  preview,
  async tryConnection(test) {
    const database = new Database(test.settings, Date);
    try {
      await database.tryWrite(test);
    } finally {
      database.disconnect();
    }
  },
});
