/* eslint-disable layers/direction -- The floor is made of the product's own parts; this file alone knows them. */
import { setTimeout as sleep } from 'node:timers/promises';
import modbusTcp from '../../plugins/modbus-tcp/src/index.ts';
import type { Settings } from '../../plugins/modbus-tcp/src/settings.ts';
import { Connection } from '../../plugins/mqtt/src/connection.ts';
import { LinkState, writerOf } from '../../sdk/src/index.ts';
import type { Column, Context, Driver, Layout, Point, Sample } from '../../sdk/src/index.ts';
import type { FloorOptions } from './floor.ts';
import { driverSettings, int16Tags } from './plant.ts';

/** From the device to the broker, with nothing between. */
export interface Pipeline {
  /** Reads every tag once and publishes what was read. */
  cycle(): Promise<void>;
}

/** Resolves when the device and the broker are connected. */
export async function openPipeline({ devicePort, brokerPort, tags, topic }: FloorOptions): Promise<Pipeline> {
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
  const layout: Layout = { version: 1, node: 'plant', group: 'group', columns: points.map(columnOf) };
  const writer = writerOf(layout);
  const none = { integers: new BigInt64Array(0), objects: [], faults: new Int32Array(0) };
  return {
    async cycle() {
      const outcomes = await driver.read(points, signal);
      const numbers = new Float64Array(tags);
      for (let index = 0; index < tags; index += 1) numbers[index] = outcomes[index] as number;
      const sample: Sample = { group: 1, version: 1, time: Date.now(), numbers, ...none };
      const payload = writer.values(sample, { errors: false });
      if (payload !== undefined) broker.publish(topic, payload, () => undefined);
    },
  };
}

const columnOf = ({ name, type }: Point): Column => ({
  ...{ name, type, precision: 0, scaled: false, onChange: false },
});

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
    clock: { now: () => Date.now(), sleep: (ms, end) => sleep(ms, undefined, end && { signal: end }) },
    dataDir: import.meta.dirname,
    signal,
    link: (state) => {
      if (state === LinkState.CONNECTED) connected.resolve();
    },
    rtt: quiet,
    count: quiet,
    gauge: quiet,
    exclusive: (_key, work) => work(),
  };
  const driver = modbusTcp.create(context as Context<never>);
  await driver.start();
  await connected.promise;
  return driver;
}
