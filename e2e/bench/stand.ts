import { startBroker } from '../brokers.ts';
import type { Broker } from '../brokers.ts';
import type { Client } from '../client.ts';
import { modbusSettings, mqttSettings } from '../configure.ts';
import type { TagBody } from '../configure.ts';
import { Gateway } from '../gateway.ts';
import { processesOf } from '../processes.ts';
import type { ProcessRow } from '../processes.ts';
import { FastDevice } from './fast-device.ts';
import type { FastDeviceOptions } from './fast-device.ts';
import { driverSettings } from './plant.ts';
import type { Run } from './run.ts';

/** Device, broker and gateway of one measurement. */
export interface Stand extends AsyncDisposable {
  readonly device: FastDevice;
  readonly broker: Broker;
  readonly gateway: Gateway;
  readonly client: Client;
}

export interface StandOptions {
  /** Fills the data folder of the gateway before it starts. */
  readonly prepare?: (data: string) => Promise<void>;
  readonly device?: FastDeviceOptions;
}

export async function openStand(
  { main }: Pick<Run, 'main'>,
  { prepare, device: deviceOptions }: StandOptions = {},
): Promise<Stand> {
  await using opened = new AsyncDisposableStack();
  const device = opened.adopt(await FastDevice.start(deviceOptions), (it) => it.stop());
  const broker = opened.adopt(await startBroker(), (it) => it.stop());
  const options = { ...(main !== undefined && { main }), ...(prepare !== undefined && { prepare }) };
  const gateway = opened.adopt(await Gateway.start(options), (it) => it.dispose());
  const client = await gateway.client();
  const held = opened.move();
  return { device, broker, gateway, client, [Symbol.asyncDispose]: () => held.disposeAsync() };
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

/** Adds a running MQTT app that has no groups yet, by default at QoS 0. */
export async function addApp(
  { client, broker }: Stand,
  app: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await client.ok('POST', '/node', { name: app, plugin: 'MQTT' });
  const params = mqttSettings(broker.port, { format: 0, qos: 0, ...settings });
  await client.ok('POST', '/node/setting', { node: app, params });
}

/** Adds a running MQTT app that uploads a group to `topic`, by default at QoS 0. */
export async function addUplink(
  stand: Stand,
  node: string,
  group: string,
  topic: string,
  settings?: Readonly<Record<string, unknown>>,
): Promise<void> {
  await addApp(stand, 'uplink', settings);
  await stand.client.ok('POST', '/subscribe', { app: 'uplink', driver: node, group, params: { topic } });
}

/** The gateway's process tree. */
export function processTree({ gateway }: Stand): Promise<ProcessRow[]> {
  return processesOf(gateway.pid, gateway.data);
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
