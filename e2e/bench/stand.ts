import { Attribute } from '@tagway/schemas';
import { startBroker } from '../brokers.ts';
import type { Broker } from '../brokers.ts';
import type { Client } from '../client.ts';
import { modbusSettings, mqttSettings } from '../configure.ts';
import type { TagBody } from '../configure.ts';
import { Gateway } from '../gateway.ts';
import { processesOf } from '../processes.ts';
import type { ProcessRow } from '../processes.ts';
import { FastDevice } from './fast-device.ts';

/** Settings of the driver in all measurements: no pause between requests, eight in flight. */
export const driverSettings = { interval: 0, max_in_flight: 8 };

/** Registers per unit; an area has 65536. */
const unitSize = 50_000;

/** Device, broker and gateway of one measurement. */
export interface Stand extends AsyncDisposable {
  readonly device: FastDevice;
  readonly broker: Broker;
  readonly gateway: Gateway;
  readonly client: Client;
}

export async function openStand(): Promise<Stand> {
  const device = await FastDevice.start();
  const broker = await startBroker();
  const gateway = await Gateway.start();
  return {
    device,
    broker,
    gateway,
    client: await gateway.client(),
    async [Symbol.asyncDispose]() {
      await gateway.dispose();
      await broker.stop();
      await device.stop();
    },
  };
}

/** INT16 tags on consecutive registers, the first of each unit the device's clock. */
export function int16Tags(count: number, first = 0): TagBody[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const register = number % unitSize;
    return {
      name: index === 0 && register === 0 ? 'clock' : `tag${number}`,
      address: `${1 + Math.floor(number / unitSize)}!4${String(1 + register).padStart(5, '0')}`,
      attribute: Attribute.READ,
      type: 3,
    };
  });
}

export async function addDriver({ client }: Stand, node: string): Promise<void> {
  await client.ok('POST', '/node', { name: node, plugin: 'Modbus TCP' });
}

/** Adds a group with its tags, ten thousand in a call. */
export async function addGroup(
  { client }: Stand,
  node: string,
  group: string,
  interval: number,
  tags: readonly TagBody[],
): Promise<void> {
  await client.ok('POST', '/group', { name: group, node, interval });
  for (let at = 0; at < tags.length; at += 10_000) {
    await client.ok('POST', '/tags', { node, group, tags: tags.slice(at, at + 10_000) }, { within: 120_000 });
  }
}

/** Sets the driver up, whereupon it runs. */
export async function startDriver({ client, device }: Stand, node: string): Promise<void> {
  await client.ok('POST', '/node/setting', { node, params: modbusSettings(device.port, driverSettings) });
}

/** Adds a running MQTT app that uploads a group to `topic`, by default at QoS 0. */
export async function addUplink(
  { client, broker }: Stand,
  node: string,
  group: string,
  topic: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await client.ok('POST', '/node', { name: 'uplink', plugin: 'MQTT' });
  await client.ok('POST', '/node/setting', {
    node: 'uplink',
    params: mqttSettings(broker.port, { format: 0, qos: 0, ...settings }),
  });
  await client.ok('POST', '/subscribe', { app: 'uplink', driver: node, group, params: { topic } });
}

/** The gateway's process tree. */
export function processTree({ gateway }: Stand): Promise<ProcessRow[]> {
  return processesOf(gateway.pid);
}

/** A short name of a process of the gateway. */
export function processName({ gateway }: Stand, row: ProcessRow): string {
  return row.pid === gateway.pid
    ? 'host'
    : `runner ${row.title
        .replace(/^tagway: */, '')
        .split(' ')
        .slice(0, 2)
        .join(' ')}`;
}
