import { app } from '@tagway/sdk';
import { PostgresqlApp, storeOf } from './postgresql.ts';
import { preview } from './preview.ts';
import { checkSettings, type Settings } from './settings.ts';

/** Stores what drivers read in tables of a PostgreSQL database. */
export default app<Settings>({
  create: (context) => new PostgresqlApp(context),
  checkSettings,
  preview,
  async tryConnection(test) {
    const { settings, node } = test;
    const store = storeOf({ settings, node, clock: { monotonic: () => performance.now() } });
    try {
      await store.tryOut(test);
    } finally {
      await store.disconnect();
    }
  },
});
