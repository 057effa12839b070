import { driver, ErrorCode, Fault, type Emit } from '@tagway/sdk';

/**
 * Pushes 1 to every point of a watched group once, except to points "polled", which it leaves to polling and reads as 2. Points
 * "late" are pushed half a second later and read as 3 until then; a read of anything else fails.
 */
export default driver({
  check: () => undefined,
  create: (context) => ({
    start: async () => undefined,
    read: async (points) =>
      points.map(({ address }) => {
        if (address === 'polled') return 2;
        return address === 'late' ? 3 : new Fault(ErrorCode.READ_FAILED);
      }),
    async watch(points, emit: Emit) {
      const indices = (fits: (address: string) => boolean): number[] =>
        [...points.keys()].filter((index) => fits(points[index]?.address ?? ''));
      const push = (chosen: readonly number[]): void =>
        emit(
          chosen,
          chosen.map(() => 1),
        );
      push(indices((address) => address === 'x'));
      void context.clock.sleep(500, context.signal).then(
        () => push(indices((address) => address === 'late')),
        () => undefined,
      );
      return {
        polled: indices((address) => address === 'polled'),
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
    async scan({ id, ctx, loadIndex }) {
      const tags = [{ name: `${id}${ctx}`, id: '1!40001', isTag: true, type: 3 as const }];
      return {
        total: 1,
        type: 0,
        isArray: false,
        ctx: 'next',
        loadIndex: loadIndex + 1,
        completed: true,
        tags,
      };
    },
    stop: async () => undefined,
  }),
});
