import { app } from '@tagway/sdk';

/** How many starts have failed so far. */
let failures = 0;

/** Logs all that it is told. Its first start fails if the settings say so. */
export default app<{ failsOnce?: boolean }>({
  create: ({ log, settings }) => ({
    async start() {
      if (settings.failsOnce && failures++ === 0) throw new Error('The port is taken.');
    },
    subscriptionsChanged: (all) => log.notice(`subscriptions ${all.map(({ group }) => group).join()}`),
    driversChanged: (states) =>
      log.notice(`drivers ${states.map(({ running, link }) => `${running}:${link}`).join()}`),
    deliver({ layout, numbers, faults, due }) {
      const what = faults.length > 0 ? `failed ${faults[1]}` : numbers.join(' ');
      log.notice(`sample of ${layout.group}: ${what}${due ? ' in part' : ''}`);
    },
    stop: async () => undefined,
  }),
});
