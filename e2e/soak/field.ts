import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import { type Broker, startBroker } from '../world/brokers.ts';
import { addModbus, addMqtt, registerTags } from '../kit/configure.ts';
import { Device } from '../world/devices.ts';
import { TcpProxy } from '../world/tcp-proxy.ts';
import { Gateway } from '../kit/gateway.ts';
import { S7Plc } from '../world/s7-plc.ts';
import { serviceFlags } from '../kit/service-flags.ts';
import { sleep } from '../kit/until.ts';
import { Arrivals } from './arrivals.ts';
import { addDerived, derivedInterval } from './derived.ts';

/** A group that is watched, by the driver's node and its plugin's id. */
export interface Watched {
  readonly key: string;
  readonly node: string;
  readonly plugin: string;
  /** Milliseconds. */
  readonly interval: number;
}

export const watched: readonly Watched[] = [
  { key: 'plant/fast', node: 'plant', plugin: 'modbus-tcp', interval: 500 },
  { key: 'plant/slow', node: 'plant', plugin: 'modbus-tcp', interval: 1000 },
  { key: 'plant/control', node: 'plant', plugin: 'modbus-tcp', interval: 1000 },
  { key: 'press/words', node: 'press', plugin: 's7comm', interval: 500 },
  { key: 'sums/group', node: 'sums', plugin: 'calculation', interval: derivedInterval },
  { key: 'chain/group', node: 'chain', plugin: 'calculation', interval: derivedInterval },
  { key: 'alarms/group', node: 'alarms', plugin: 'alarms', interval: derivedInterval },
];
/** The node whose device pushes numbered changes, and their group. */
export const counter = { node: 'meter', group: 'pushed', plugin: 'event-source', rate: 20 } as const;
/** Holding register, from 1, of the first tag that is written. */
export const control = { first: 2001, count: 20 } as const;

/** What the gateway has to do with: devices, brokers, and what arrives there. */
export class Field {
  /** What arrives at the broker that is always there tells what there was to send. */
  readonly steady = new Arrivals(counter.node);
  readonly uplink = new Arrivals(counter.node);
  readonly gateway: Gateway;
  readonly press: S7Plc;
  device: Device;
  readonly #steadyBroker: Broker;
  #broker: Broker;
  readonly #proxy: TcpProxy;

  private constructor(
    gateway: Gateway,
    device: Device,
    press: S7Plc,
    steadyBroker: Broker,
    broker: Broker,
    proxy: TcpProxy,
  ) {
    this.gateway = gateway;
    this.device = device;
    this.press = press;
    this.#steadyBroker = steadyBroker;
    this.#broker = broker;
    this.#proxy = proxy;
  }

  static async open(): Promise<Field> {
    const [device, press, steadyBroker, broker] = await Promise.all([
      Device.start(),
      S7Plc.start(),
      startBroker(),
      startBroker(),
    ]);
    const proxy = await TcpProxy.open(broker.port);
    const gateway = await Gateway.start({
      nodeArgs: serviceFlags(),
      prepare: (data) =>
        cp(join(import.meta.dirname, '../bench/event-source'), join(data, 'libraries', 'event-source'), {
          recursive: true,
        }),
    });
    const field = new Field(gateway, device, press, steadyBroker, broker, proxy);
    await field.steady.connect(steadyBroker.port);
    await field.uplink.connect(broker.port);
    await field.#configure();
    return field;
  }

  async close(): Promise<void> {
    await this.steady.close();
    await this.uplink.close();
    try {
      await this.gateway.dispose();
    } finally {
      await this.#proxy.shut();
      await this.#broker.stop();
      await this.#steadyBroker.stop();
      await this.device.stop();
      await this.press.stop();
    }
  }

  /** What runs here, for the first line of the report. */
  get peers(): string {
    return `Modbus TCP (${this.device.kind}), S7, pushed changes, calculated tags, alarms, two brokers (${this.#broker.kind})`;
  }

  async #configure(): Promise<void> {
    const client = await this.gateway.client();
    const both = Attribute.READ | Attribute.WRITE;
    const modbus = [
      { group: 'fast', interval: 500, tags: registerTags(50) },
      { group: 'slow', interval: 1000, tags: registerTags(200, Attribute.READ, 101) },
      { group: 'control', interval: 1000, tags: registerTags(control.count, both, control.first) },
    ];
    const [first, ...others] = modbus as [(typeof modbus)[0], ...typeof modbus];
    await addModbus(client, 'plant', { port: this.device.port, ...first });
    for (const { group, interval, tags } of others) {
      await client.ok('POST', '/group', { node: 'plant', name: group, interval });
      await client.ok('POST', '/tags', { node: 'plant', group, tags });
    }
    const words = Array.from({ length: 50 }, (_, index) => ({
      name: `word${index}`,
      address: `DB1.DBW${index * 2}`,
      attribute: Attribute.READ,
      type: DataType.INT16,
    }));
    await client.ok('POST', '/node', { name: 'press', plugin: 'Siemens S7 ISOTCP' });
    await client.ok('POST', '/group', { node: 'press', name: 'words', interval: 500 });
    await client.ok('POST', '/tags', { node: 'press', group: 'words', tags: words });
    await client.ok('POST', '/node/setting', { node: 'press', params: this.press.settings });
    const points = Array.from({ length: 10 }, (_, index) => ({
      name: `point${index}`,
      address: String(index),
      attribute: Attribute.READ | Attribute.SUBSCRIBE,
      type: DataType.DOUBLE,
    }));
    await client.ok('POST', '/node', { name: counter.node, plugin: 'Event source' });
    await client.ok('POST', '/group', { node: counter.node, name: counter.group, interval: 1000 });
    await client.ok('POST', '/tags', { node: counter.node, group: counter.group, tags: points });
    await client.ok('POST', '/node/setting', { node: counter.node, params: { rate: counter.rate } });

    await addDerived(client);

    await addMqtt(client, 'steady', this.#steadyBroker.port, { qos: 1 });
    const cache = {
      'offline-cache': true,
      'cache-mem-size': 1,
      'cache-disk-size': 100,
      'cache-sync-interval': 10,
    };
    await addMqtt(client, 'uplink', this.#proxy.port, { qos: 1, ...cache });
    const keys = [...watched.map(({ key }) => key), `${counter.node}/${counter.group}`];
    for (const app of ['steady', 'uplink']) {
      for (const key of keys) {
        const [driver, group] = key.split('/');
        await client.ok('POST', '/subscribe', { app, driver, group, params: { topic: `soak/${key}` } });
      }
    }
    client.close();
  }

  /** The Modbus device is gone and comes back on its port; its registers are lost. */
  async restartDevice(wait: () => Promise<void>): Promise<void> {
    const { kind, port } = this.device;
    await this.device.stop();
    await wait();
    this.device = await Device.start({ kind, port });
  }

  async restartPress(wait: () => Promise<void>): Promise<void> {
    await this.press.stop();
    await wait();
    await this.press.start();
  }

  /** The way to the broker is cut. */
  async cutBroker(wait: () => Promise<void>): Promise<void> {
    await this.#proxy.shut();
    await wait();
    await this.#proxy.reopen(this.#broker.port);
  }

  /** The broker is gone and another one, which knows nothing, takes its place. */
  async restartBroker(wait: () => Promise<void>): Promise<void> {
    await this.#proxy.shut();
    // What the broker has confirmed reaches the subscriber before the broker ends.
    await sleep(1000);
    await this.uplink.close();
    await this.#broker.stop();
    await wait();
    this.#broker = await startBroker();
    await this.uplink.connect(this.#broker.port);
    await this.#proxy.reopen(this.#broker.port);
  }

  /** The broker takes nothing and says nothing. */
  async stallBroker(wait: () => Promise<void>): Promise<void> {
    process.kill(this.#broker.pid, 'SIGSTOP');
    await wait();
    process.kill(this.#broker.pid, 'SIGCONT');
  }

  async stallDevice(wait: () => Promise<void>): Promise<void> {
    this.device.signal('SIGSTOP');
    await wait();
    this.device.signal('SIGCONT');
  }
}
