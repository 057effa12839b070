// A driver that counts its reads and does what its tag "command" is told. It is plain JavaScript with the brands of the
// SDK, so that it is as foreign to the gateway as a third party's library.
import { existsSync } from 'node:fs';

class Fault extends Error {
  [Symbol.for('tagway.fault')] = true;

  constructor(code, retry = true) {
    super(`The unruly driver reports ${code}.`);
    this.code = code;
    this.retry = retry;
  }
}

const commands = {
  throw: () =>
    setTimeout(() => {
      throw new Error('thrown from a timer');
    }, 1),
  reject: () => void Promise.reject(new Error('rejected and not handled')),
  spin: () =>
    setTimeout(() => {
      for (;;);
    }, 1),
  exit: () => setTimeout(() => process.exit(0), 1),
};

const starts = [
  () => undefined,
  () => process.exit(3),
  () => {
    throw new Fault(10001, false);
  },
  () => new Promise(() => undefined),
];

function create(context) {
  let count = 0;
  let hanging = false;
  return {
    async start() {
      const { start, while: path } = context.settings;
      if (path === '' || existsSync(path)) await starts[start]();
      context.link(2);
    },
    async read(points) {
      if (hanging) await new Promise(() => undefined);
      count += 1;
      return points.map((point) => (point.type === 13 ? 'ready' : point.type === 7 ? BigInt(count) : count));
    },
    async write(writes) {
      for (const { value } of writes) {
        if (value === 'hang') hanging = true;
        else commands[value]?.();
      }
      return writes.map(() => undefined);
    },
    async stop() {
      if (hanging) await new Promise(() => undefined);
    },
  };
}

export default {
  [Symbol.for('tagway.driver')]: true,
  create,
  check: () => undefined,
};
