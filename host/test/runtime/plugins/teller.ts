import { setTimeout as sleep } from 'node:timers/promises';
import { app, type Sample } from '@tagway/sdk';

/** How many starts have failed so far. */
let failures = 0;

/** Every sample that a node was given so far, by its number. */
const seen = new Map<Sample, number>();

/** Logs all that it is told. If the settings say so, its first start fails, a start logs the next number of a sequence, a start and a tail take so many milliseconds, it numbers the samples that nodes of it are given, and it goes on with other settings. */
export default app<{
  failsOnce?: boolean;
  numbersSamples?: boolean;
  start?: number;
  tail?: number;
  counts?: boolean;
  goesOn?: boolean;
}>({
  create: ({ log, settings, signal, sequence, pair }) => ({
    async start() {
      if (pair !== undefined) log.notice(`start as ${pair.role}`);
      if (settings.failsOnce && failures++ === 0) throw new Error('The port is taken.');
      await sleep(settings.start ?? 0);
      if (settings.counts) log.notice(`number ${await sequence('starts')}`);
    },
    settingsChanged({ goesOn = false }) {
      if (goesOn) log.notice('goes on');
      return goesOn;
    },
    subscriptionsChanged: (all) => log.notice(`subscriptions ${all.map(({ group }) => group).join()}`),
    driversChanged: (states) =>
      log.notice(`drivers ${states.map(({ running, link }) => `${running}:${link}`).join()}`),
    pairChanged: ({ role, others }) =>
      log.notice(`${role} beside ${others.map(({ name }) => name).join() || 'none'}`),
    async tail() {
      log.notice('tail');
      await sleep(settings.tail ?? 0, undefined, { signal }).catch(() => undefined);
    },
    deliver(sample) {
      const { layout, numbers, faults, due } = sample;
      if (settings.numbersSamples) {
        if (!seen.has(sample)) seen.set(sample, seen.size + 1);
        log.notice(`sample number ${seen.get(sample)}`);
        return;
      }
      const what = faults.length > 0 ? `failed ${faults[1]}` : numbers.join(' ');
      log.notice(`sample of ${layout.group}: ${what}${due ? ' in part' : ''}`);
    },
    stop: async () => undefined,
  }),
});
