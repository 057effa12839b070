import { setTimeout as sleep } from 'node:timers/promises';
import { app } from '@tagway/sdk';

let tails = 0;

/**
 * Logs the first numbers of its sequence when it starts, and the calls of its run. A tail fails the first time if the settings say so, and
 * lasts until the run ends or for as many milliseconds as they say.
 */
export default app<{ name?: string; least?: number; tail?: number; failsOnce?: boolean }>({
  create: ({ log, sequence, settings, signal, pairId }) => ({
    async start() {
      const { name = 'births', least } = settings;
      for (let count = 0; count < 2; count++)
        await sequence(name, least).then(
          (number) => log.notice(`number ${number} of ${pairId ?? 'none'}`),
          (error: unknown) => log.notice(`refused: ${(error as Error).message}`),
        );
    },
    subscriptionsChanged: (all) => log.notice(`${all.length} subscriptions`),
    deliver: () => undefined,
    ...(settings.tail !== undefined && {
      async tail() {
        log.notice('tail');
        if (settings.failsOnce === true && tails++ === 0) throw new Error('The broker is away.');
        await sleep(settings.tail, undefined, { signal }).catch(() => log.notice('tail cut'));
      },
    }),
    stop: async () => log.notice('stop'),
  }),
});
