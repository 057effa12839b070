import { app, ErrorCode, Fault } from '@tagway/sdk';

/** Logs what it is given; reads and writes through the host when a sample of the group "group 99" comes. */
export default app<{ slow?: number }, { topic?: string }>({
  checkSubscription: ({ params }) =>
    params?.topic === '' ? new Fault(ErrorCode.GROUP_PARAM_INVALID, 'The topic is empty.') : undefined,
  create: ({ log, settings, clock, read, write }) => ({
    start: async () => undefined,
    subscriptionsChanged(all) {
      log.notice('subscriptions', {
        groups: all.map(({ group, params }) => `${group}:${params?.topic ?? ''}`).join(),
      });
    },
    driversChanged(states) {
      log.notice('drivers', { links: states.map(({ driver, link }) => `${driver}:${link}`).join() });
    },
    deliver(sample, { layout }): void | Promise<void> {
      log.notice('sample', {
        numbers: [...sample.numbers].join(),
        columns: sample.layout.columns.length,
        subscribed: layout.columns.length,
        timestamp: sample.timestamp,
      });
      if (sample.layout.group === 'group 99') {
        return (async () => {
          const { numbers } = await read('plant', 'fast', { sync: true });
          const [fault, ...others] = await write([
            { driver: 'plant', group: 'fast', tag: 'a', value: 2n ** 60n },
            { driver: 'plant', group: 'fast', tag: 'b', value: true },
          ]);
          log.notice('read', { first: numbers[0], fault: fault?.code, others: others.length });
        })();
      }
      if (settings.slow) return clock.sleep(settings.slow);
    },
    stop: async () => undefined,
  }),
});
