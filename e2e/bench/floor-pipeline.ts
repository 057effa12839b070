/* eslint-disable layers/direction -- The floor is made of the product's own parts; this file alone knows them. */
// One process that reads every tag and publishes the reading, at every multiple of the interval, with nothing between the device and the
// broker. Argument: JSON of `FloorOptions`.
import { setTimeout as sleep } from 'node:timers/promises';
import modbusTcp from '../../plugins/modbus-tcp/src/index.ts';
import type { Settings } from '../../plugins/modbus-tcp/src/settings.ts';
import { defaults } from '../../plugins/lib/modbus/test/kit/defaults.ts';
import { Connection } from '../../plugins/lib/mqtt-client/src/connection.ts';
import { LinkState, Store } from '../../sdk/src/index.ts';
import type { Call, Column, Driver, Layout, Point, Sample, Values } from '../../sdk/src/index.ts';
import { writerOf } from '../../sdk/src/json/index.ts';
import { contextFor } from '../../sdk/testkit/src/context.ts';
import type { FloorOptions } from './floor.ts';
import { driverSettings, int16Tags } from './plant.ts';

const columnOf = ({ name, type, address }: Point, place: number): Column => ({
  name,
  type,
  valueType: type,
  address,
  description: '',
  precision: 0,
  scaled: false,
  onChange: false,
  writable: false,
  store: Store.NUMBER,
  place,
});

/** Resolves when the device is connected. */
async function connect(port: number): Promise<Driver> {
  const connected = Promise.withResolvers<void>();
  const settings: Settings = {
    ...defaults,
    transport_mode: 0,
    connection_mode: 0,
    host: '127.0.0.1',
    port,
    timeout: 1000,
    ...driverSettings,
  };
  const quiet = (): void => undefined;
  const { context } = contextFor(settings, {
    log: { debug: quiet, info: quiet, notice: quiet, warn: quiet, error: quiet },
    link: (state) => {
      if (state === LinkState.CONNECTED) connected.resolve();
    },
    rtt: quiet,
    count: quiet,
  });
  const driver = modbusTcp.create(context as never);
  await driver.start();
  await connected.promise;
  return driver;
}

const { devicePort, brokerPort, tags, interval } = JSON.parse(process.argv[2] ?? '{}') as FloorOptions;
const { signal } = new AbortController();
const driver = await connect(devicePort);
const broker = await Connection.open(
  {
    host: '127.0.0.1',
    port: brokerPort,
    clientId: 'floor',
    version: 4,
    qos: 0,
    username: undefined,
    password: undefined,
    tls: undefined,
    will: undefined,
  },
  () => undefined,
  signal,
);
const points = Object.freeze(int16Tags(tags) as Point[]);
const columns = points.map(columnOf);
const layout: Layout = { version: 1, driver: 'plant', group: 'group', interval, columns, writeOnly: [] };
const writer = writerOf(layout);
const none = { integers: new BigInt64Array(0), objects: [], faults: new Int32Array(0) };
const call: Call = { signal, cause: 'poll' };

let numbers = new Float64Array(tags);
const refuse = (index: number): never => {
  throw new Error(`Point ${index} is no number.`);
};
/** Takes numbers alone; anything else is not expected of a device that works. */
const into: Values = {
  number(index, value) {
    numbers[index] = value;
  },
  integer: refuse,
  text: refuse,
  bytes: refuse,
  fault(index, { message }) {
    throw new Error(`Point ${index} could not be read: ${message}`);
  },
  stamp: () => undefined,
};

/** Reads every tag once and publishes what was read. */
async function cycle(): Promise<void> {
  numbers = new Float64Array(tags);
  await driver.read(points, into, call);
  const sample: Sample = { layout, timestamp: Date.now(), numbers, ...none };
  for (const payload of writer.values(sample, { errors: false }))
    broker.publish('bench', payload, () => undefined);
}

process.stdin.on('end', () => process.exit()).resume();
process.stdout.write('The floor reads.\n');
for (let due = performance.now(); ;) {
  await cycle();
  const now = performance.now();
  // A tick that the cycle overran is not made up for.
  due += Math.max(1, Math.ceil((now - due) / interval)) * interval;
  await sleep(Math.ceil(due - now));
}
