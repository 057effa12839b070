import { driver, LinkState } from '@tagway/sdk';

/** The port of a device that pushes more than can be passed on. */
export const overflowing = 9;

/** A driver of a device that is always there: the value of a tag is the number that is its address. */
export default driver<{ readonly port: number }>({
  create: (context) => ({
    async start() {
      context.link(LinkState.CONNECTED);
      context.rtt(1.4);
      if (context.settings.port !== overflowing) return;
      context.count('dropped_samples', 2);
      context.count('dropped_events', 7);
    },
    async read(points, into) {
      points.forEach(({ address }, index) => into.number(index, Number(address)));
    },
    async write(writes, into) {
      writes.forEach((_write, index) => into.done(index));
    },
    stop: async () => undefined,
  }),
  checkTag: () => undefined,
});
