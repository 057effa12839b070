// A driver that counts its reads and does what its tag "command" is told. It is plain JavaScript with the brands of the
// SDK, so that it is as foreign to the gateway as a third party's library.
import { existsSync } from 'node:fs';
import { codes, misdeedsIn } from './misdeeds.js';

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
  let fault;
  const misdeeds = misdeedsIn(context.dataDir);
  return {
    async start() {
      const { start, while: path } = context.settings;
      if (path === '' || existsSync(path)) await starts[start]();
      context.link(2);
    },
    async read(points, into) {
      if (hanging) await new Promise(() => undefined);
      count += 1;
      points.forEach((point, index) => {
        if (fault !== undefined && point.type !== 13) into.fault(index, fault);
        else if (point.type === 13) into.text(index, 'ready');
        else if (point.type === 7) into.integer(index, BigInt(count));
        else into.number(index, count);
      });
    },
    async write(writes, into) {
      writes.forEach(({ value }, index) => {
        if (value === 'hang') hanging = true;
        else if (value === 'null') return into.fault(index, null);
        else if (value in codes) {
          fault = new Fault(1);
          fault.code = codes[value];
          fault.message = `This is\u0000 no\nsentence ${'x'.repeat(5000)}`;
          return into.fault(index, fault);
        } else (commands[value] ?? misdeeds[value])?.();
        into.done(index);
      });
    },
    async stop() {
      if (hanging) await new Promise(() => undefined);
    },
  };
}

export default {
  [Symbol.for('tagway.driver')]: true,
  create,
  checkTag: ({ address }) => (address === 'exit' ? process.exit(3) : undefined),
};
