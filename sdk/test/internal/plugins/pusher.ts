import { DataType, driver, ErrorCode, Fault } from '@tagway/sdk';

const unasked = new Fault(ErrorCode.READ_FAILED);

/**
 * Pushes 1 to every point of a watched group once, except to points "polled", which it leaves to polling and reads as 2. Points
 * "late" are pushed half a second later; a read of anything else fails.
 */
export default driver({
  checkTag: () => undefined,
  create: (context) => ({
    start: async () => undefined,
    async read(points, into) {
      points.forEach(({ address }, at) =>
        address === 'polled' ? into.number(at, 2) : into.fault(at, unasked),
      );
    },
    watch(points, report) {
      const indices = (wanted: string): number[] =>
        [...points.keys()].filter((index) => points[index]?.address === wanted);
      const push = (chosen: readonly number[]): void => {
        for (const index of chosen) report.number(index, 1);
        report.send();
      };
      push(indices('x'));
      const timer = context.clock.timer(500, () => push(indices('late')));
      return {
        polled: indices('polled'),
        async [Symbol.asyncDispose]() {
          timer[Symbol.dispose]();
        },
      };
    },
    async browse({ id, cursor = '' }) {
      const entry = { name: `${id}${cursor}`, id: '1!40001', readable: true, type: DataType.INT16 };
      return { total: 1, type: 0, isArray: false, entries: [entry], cursor: 'next' };
    },
    stop: async () => undefined,
  }),
});
