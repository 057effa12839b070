/* eslint-disable layers/direction -- The floor is made of the product's own parts; this file alone knows them. */
import { setTimeout as sleep } from 'node:timers/promises';
import modbusTcp from '../../plugins/modbus-tcp/src/index.ts';
import type { Settings } from '../../plugins/modbus-tcp/src/settings.ts';
import { Connection } from '../../plugins/broker/src/connection.ts';
import { LinkState, Store } from '../../sdk/src/index.ts';
import type {
  Call,
  Column,
  Context,
  Driver,
  Fault,
  Layout,
  Point,
  Sample,
  Values,
} from '../../sdk/src/index.ts';
import { writerOf } from '../../sdk/src/json/index.ts';
import type { FloorOptions } from './floor.ts';
import { driverSettings, int16Tags } from './plant.ts';

/** From the device to the broker, with nothing between. */
export interface Pipeline {
  /** Reads every tag once and publishes what was read. */
  cycle(): Promise<void>;
}

/** Resolves when the device and the broker are connected. */
export async function openPipeline(options: FloorOptions): Promise<Pipeline> {
  const { devicePort, brokerPort, tags, interval, topic } = options;
  const { signal } = new AbortController();
  const driver = await connect(devicePort, signal);
  const broker = await Connection.open(
    {
      ...{ host: '127.0.0.1', port: brokerPort, clientId: 'floor', version: 4, qos: 0 },
      ...{ username: undefined, password: undefined, tls: undefined, will: undefined },
    },
    () => undefined,
    signal,
  );
  const points = Object.freeze(int16Tags(tags) as Point[]);
  const columns = points.map(columnOf);
  const layout: Layout = {
    ...{ version: 1, driver: 'plant', group: 'group', interval, columns, writeOnly: [] },
  };
  const writer = writerOf(layout);
  const none = { integers: new BigInt64Array(0), objects: [], faults: new Int32Array(0) };
  const call: Call = { signal, cause: 'poll' };
  return {
    async cycle() {
      const numbers = new Float64Array(tags);
      await driver.read(points, new Numbers(numbers), call);
      const sample: Sample = { layout, timestamp: Date.now(), numbers, ...none };
      for (const payload of writer.values(sample, { errors: false }))
        broker.publish(topic, payload, () => undefined);
    },
  };
}

const columnOf = ({ name, type, address }: Point, place: number): Column => ({
  ...{ name, type, valueType: type, address, description: '', precision: 0 },
  ...{ scaled: false, onChange: false, writable: false, store: Store.NUMBER, place },
});

/** Takes one reading of numbers; anything else is not expected of a device that works. */
class Numbers implements Values {
  readonly #into: Float64Array;

  constructor(into: Float64Array) {
    this.#into = into;
  }

  number(index: number, value: number): void {
    this.#into[index] = value;
  }

  integer(index: number): void {
    throw new Error(`Point ${index} is not an INT64.`);
  }

  text(index: number): void {
    throw new Error(`Point ${index} is not a STRING.`);
  }

  bytes(index: number): void {
    throw new Error(`Point ${index} is not BYTES.`);
  }

  fault(index: number, fault: Fault): void {
    throw new Error(`Point ${index} could not be read: ${fault.message}`);
  }

  stamp(): void {
    // A Modbus device gives no times.
  }
}

async function connect(port: number, signal: AbortSignal): Promise<Driver> {
  const connected = Promise.withResolvers<void>();
  const settings: Settings = {
    ...{ transport_mode: 0, connection_mode: 0, host: '127.0.0.1', port, timeout: 1000 },
    ...{ max_gap: 0, max_retries: 0, retry_interval: 0, device_degrade: 0 },
    ...{ endianess: 1, endianess_64: 1, address_base: 1, ...driverSettings },
  };
  const quiet = (): void => undefined;
  const context: Context<Settings> = {
    node: 'plant',
    settings,
    log: { debug: quiet, info: quiet, notice: quiet, warn: quiet, error: quiet },
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      sleep: (ms, end) => sleep(ms, undefined, end && { signal: end }),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
    dataDir: import.meta.dirname,
    signal,
    link: (state) => {
      if (state === LinkState.CONNECTED) connected.resolve();
    },
    rtt: quiet,
    count: quiet,
    gauge: quiet,
    exclusive: (_key, work) => work(),
    sequence: () => Promise.reject(new Error('No driver asks for this.')),
  };
  const driver = modbusTcp.create(context as Context<never>);
  await driver.start();
  await connected.promise;
  return driver;
}
