import { app, ErrorCode, Fault, type Route, type Sample } from '@tagway/sdk';

/** Logs what it is given; reads and writes through the host when a sample of group 99 comes. */
export default app<{ slow?: number }, { topic?: string }>({
  checkParams: (params) =>
    params?.topic === '' ? new Fault(ErrorCode.GROUP_PARAM_INVALID, 'The topic is empty.') : undefined,
  create: ({ log, settings, clock, read, write }) => ({
    start: async () => undefined,
    routes(routes) {
      log.notice('routes', {
        groups: routes.map(({ group, params }) => `${group}:${params?.topic ?? ''}`).join(),
      });
    },
    deliver(sample: Sample, route: Route): void | Promise<void> {
      log.notice('sample', {
        numbers: [...sample.numbers].join(),
        columns: route.layout.columns.length,
        time: sample.time,
      });
      if (sample.group === 99) {
        return (async () => {
          const reading = await read('plant', 'fast', true);
          await write('plant', 'fast', [{ tag: 'a', value: 2n ** 60n }]);
          log.notice('read', { first: reading.sample.numbers[0] });
        })();
      }
      if (settings.slow) return clock.sleep(settings.slow);
    },
    stop: async () => undefined,
  }),
});
