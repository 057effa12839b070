import { app } from '@tagway/sdk';
import { HttpApp } from './http.ts';
import { preview } from './samples.ts';
import { Server } from './server.ts';
import { checkSettings, type Settings } from './settings.ts';

/** Posts what drivers read to an HTTP server. */
export default app<Settings>({
  create: (context) => new HttpApp(context),
  checkSettings,
  preview,
  async tryConnection(test) {
    const monotonic = (): number => performance.now();
    const server = new Server(test.settings, { now: Date.now, monotonic });
    try {
      await server.tryPost(test);
    } finally {
      server.disconnect();
    }
  },
});
