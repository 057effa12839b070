import { app } from '@tagway/sdk';

/** An app that takes everything and does nothing with it. */
export default app({
  create: () => ({
    start: async () => undefined,
    subscriptionsChanged: () => undefined,
    deliver: () => undefined,
    stop: async () => undefined,
  }),
});
