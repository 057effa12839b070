import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driver, Fault, type Context, type Driver, type DriverDefinition, type Values } from '@tagway/sdk';
import template from '../../../templates/driver/src/index.ts';

type Settings = { host: string; port: number; timeout: number };

/** With this timeout the start fails. */
const failing = 111;

const good = template as unknown as DriverDefinition<Settings>;

/** Passes on what is put into it, except for what `change` has of its own. */
function through(into: Values, change: Partial<Values>): Values {
  return {
    number: (index, value) => into.number(index, value),
    integer: (index, value) => into.integer(index, value),
    text: (index, value) => into.text(index, value),
    bytes: (index, value) => into.bytes(index, value),
    fault: (index, fault) => into.fault(index, fault),
    stamp: (index, time, quality) => into.stamp(index, time, quality),
    ...change,
  };
}

/** What a flaw changes of the template's driver. */
const flaws: Readonly<Record<string, (driver: Driver, context: Context<Settings>) => Partial<Driver>>> = {
  'connects in create': (_driver, { settings }) => {
    connect(settings.port, settings.host).on('error', () => undefined);
    return {};
  },
  'fails to start without its device': (_driver, { settings }) => ({
    start: () =>
      new Promise((resolve, reject) => {
        const socket = connect(settings.port, settings.host, () => {
          socket.destroy();
          resolve();
        }).on('error', reject);
      }),
  }),
  'forgets a timer': () => {
    setInterval(() => undefined, 60_000).unref();
    return {};
  },
  'forgets a connection': (_driver, { settings }) => ({
    async start() {
      connect(settings.port, settings.host).on('error', () => undefined);
    },
    stop: () => Promise.resolve(),
  }),
  'reads what its device does not know': (driver) => ({
    read: (points, into, call) =>
      driver.read(
        points.map((point) => ({ ...point, address: 'unknown' })),
        into,
        call,
      ),
  }),
  'writes what its device does not know': (driver) => ({
    write: (writes, into, call) =>
      driver.write?.(
        writes.map((write) => ({ ...write, value: 99 })),
        into,
        call,
      ) ?? Promise.resolve(),
  }),
  'leaves an outcome out': (driver) => ({
    read: (points, into, call) => driver.read(points.slice(1), into, call),
  }),
  'gives numbers for 64 bits': (driver) => ({
    read: (points, into, call) =>
      driver.read(
        points,
        through(into, { integer: (index, value) => into.number(index, Number(value)) }),
        call,
      ),
  }),
  'throws for one bad address': (driver) => ({
    async read(points, into, call) {
      if (points.some(({ address }) => address === 'missing')) throw new Error('bad address');
      return driver.read(points, into, call);
    },
  }),
  'does not listen to its signal': (driver) => ({
    read: (points, into, { cause }) =>
      driver.read(points, into, { cause, signal: new AbortController().signal }),
  }),
  'writes to the temporary folder': () => ({
    async start() {
      mkdtempSync(join(tmpdir(), 'faulty-'));
    },
  }),
  'caches what it has read': (driver) => {
    const last = new Map<number, number>();
    return {
      async read(points, into, call) {
        const remember = through(into, {
          number(index, value) {
            last.set(index, value);
            into.number(index, value);
          },
        });
        try {
          await driver.read(points, remember, call);
        } catch (error) {
          if (last.size === 0) throw error;
          for (const [index, value] of last) into.number(index, value);
        }
      },
    };
  },
  'forgets the result of a write': (driver) => ({
    write: async (writes, into, call) =>
      driver.write?.(writes, { done: () => undefined, fault: (...args) => into.fault(...args) }, call),
  }),
  'reads everything before it writes': (driver) => {
    let turn: Promise<unknown> = Promise.resolve();
    const inTurn = (work: () => Promise<void> | undefined): Promise<void> => {
      const done = turn.then(work);
      turn = done.catch(() => undefined);
      return done;
    };
    return {
      read: (points, into, call) => inTurn(() => driver.read(points, into, call)),
      write: (writes, into, call) => inTurn(() => driver.write?.(writes, into, call)),
    };
  },
  'forgets when values arose': (driver) => ({
    read: (points, into, call) => driver.read(points, through(into, { stamp: () => undefined }), call),
  }),
  'gives a code for a text': (driver) => ({
    read: (points, into, call) =>
      driver.read(
        points,
        through(into, { fault: (index, { code }) => into.fault(index, new Fault(code, `E${code}`)) }),
        call,
      ),
  }),
  'hangs when it stops': (driver) => ({
    async stop(signal) {
      await driver.stop(signal);
      await new Promise(() => undefined);
    },
  }),
};

/** What a flaw changes of what the template's driver is given. */
const contextFlaws: Readonly<Record<string, (context: Context<Settings>) => Partial<Context<Settings>>>> = {
  'says nothing of its link': () => ({ link: () => undefined }),
  'gives no reasons': ({ link }) => ({ link: (state) => link(state) }),
};

export default driver<Settings>({
  create(context) {
    const { FLAW = '' } = process.env;
    const made = good.create({ ...context, ...contextFlaws[FLAW]?.(context) });
    return {
      start: () =>
        context.settings.timeout === failing
          ? Promise.reject(
              new Fault(
                10001,
                FLAW === 'fails to start without a word' ? 'E1' : 'The start fails as the test wants.',
              ),
            )
          : made.start(),
      read: (points, into, call) => made.read(points, into, call),
      write: async (writes, into, call) => made.write?.(writes, into, call),
      stop: (signal) => made.stop(signal),
      ...flaws[FLAW]?.(made, context),
    };
  },
  checkTag: () => undefined,
});
