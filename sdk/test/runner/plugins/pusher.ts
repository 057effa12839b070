import { driver, ErrorCode, Fault, type Emit } from '@tagway/sdk';

/** Pushes 1 to every point of a watched group once and never expects to be polled for it. */
export default driver({
  check: () => undefined,
  create: () => ({
    start: async () => undefined,
    read: async (points) => points.map(() => new Fault(ErrorCode.READ_FAILED)),
    async watch(points, emit: Emit) {
      emit(
        [...points.keys()],
        points.map(() => 1),
      );
      return { [Symbol.asyncDispose]: async () => undefined };
    },
    stop: async () => undefined,
  }),
});
