import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driver, type Context, type Driver, type DriverDefinition } from '@tagway/sdk';
import template from '../../../templates/driver/src/index.ts';

type Settings = { host: string; port: number };

const good = template as unknown as DriverDefinition<Settings>;

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
  'leaves an outcome out': (driver) => ({
    read: async (points, signal) => (await driver.read(points, signal)).slice(1),
  }),
  'gives numbers for 64 bits': (driver) => ({
    read: async (points, signal) =>
      (await driver.read(points, signal)).map((value) => (typeof value === 'bigint' ? Number(value) : value)),
  }),
  'throws for one bad address': (driver) => ({
    async read(points, signal) {
      if (points.some(({ address }) => address === 'missing')) throw new Error('bad address');
      return driver.read(points, signal);
    },
  }),
  'does not listen to its signal': (driver) => ({
    read: (points) => driver.read(points, new AbortController().signal),
  }),
  'writes to the temporary folder': () => ({
    async start() {
      mkdtempSync(join(tmpdir(), 'faulty-'));
    },
  }),
  'caches what it has read': (driver) => {
    let last: Awaited<ReturnType<Driver['read']>> | undefined;
    return {
      async read(points, signal) {
        try {
          last = await driver.read(points, signal);
        } catch (error) {
          if (last?.length !== points.length) throw error;
        }
        return last ?? [];
      },
    };
  },
};

export default driver<Settings>({
  create(context) {
    const made = good.create(context);
    const change = flaws[process.env.FLAW ?? '']?.(made, context) ?? {};
    return {
      start: () => made.start(),
      read: (points, signal) => made.read(points, signal),
      write: (writes, signal) => made.write?.(writes, signal) ?? Promise.resolve([]),
      stop: () => made.stop(),
      ...change,
    };
  },
  check: () => undefined,
});
