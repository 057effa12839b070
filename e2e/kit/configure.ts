import { Attribute, DataType, RunningState } from '@tagway/schemas';
import type { Client } from './client.ts';
import type { Plant } from '../world/plant.ts';
import { until } from './until.ts';

/** A tag as the API takes and gives it. */
export interface TagBody {
  readonly name: string;
  readonly address: string;
  readonly attribute: number;
  readonly type: number;
  readonly precision?: number;
  readonly decimal?: number;
  readonly bias?: number;
  readonly description?: string;
  readonly deadband?: number | string;
  readonly unit?: string;
  readonly low?: number;
  readonly high?: number;
  readonly value?: unknown;
}

export interface TagValue {
  readonly name: string;
  readonly value?: unknown;
  readonly error?: number;
}

export interface NodeState {
  readonly running: number;
  readonly link: number;
  readonly rtt: number;
  readonly log_level: string;
  readonly missed_ticks?: number;
  readonly slow_groups?: readonly {
    readonly group: string;
    readonly interval: number;
    readonly takes: number;
  }[];
  readonly last_error?: { readonly code: number; readonly text: string };
}

export interface ModbusOptions extends Omit<DriverOptions, 'plugin' | 'settings'> {
  readonly port: number;
  /** Settings beside host and port. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export function modbusSettings(
  port: number,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    connection_mode: 0,
    transport_mode: 0,
    host: '127.0.0.1',
    port,
    timeout: 1000,
    interval: 0,
    ...more,
  };
}

export function mqttSettings(
  port: number,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    'upload-topic': '',
    format: 0,
    'cache-mem-size': 0,
    'cache-disk-size': 0,
    host: '127.0.0.1',
    port,
    ...more,
  };
}

export interface DriverOptions {
  readonly plugin: string;
  readonly group?: string;
  /** Milliseconds. */
  readonly interval?: number;
  readonly tags?: readonly TagBody[];
  readonly settings: object;
}

/** Adds a driver with one group, running. */
export async function addDriver(client: Client, node: string, options: DriverOptions): Promise<void> {
  const { plugin, group = 'group', interval = 100, tags = [], settings } = options;
  await client.ok('POST', '/node', { name: node, plugin });
  await client.ok('POST', '/group', { name: group, node, interval });
  if (tags.length > 0) await client.ok('POST', '/tags', { node, group, tags });
  await client.ok('POST', '/node/setting', { node, params: settings });
}

/** Adds a Modbus TCP driver with one group, running. */
export async function addModbus(client: Client, node: string, options: ModbusOptions): Promise<void> {
  const { port, settings, ...group } = options;
  await addDriver(client, node, { ...group, plugin: 'Modbus TCP', settings: modbusSettings(port, settings) });
}

/** Adds the Modbus node `boiler` of a plant's device, with one group. */
export function addBoiler(
  { client, device }: Plant,
  group: string,
  tags: readonly TagBody[],
  interval?: number,
): Promise<void> {
  const rate = interval !== undefined && { interval };
  return addModbus(client, 'boiler', { port: device.port, group, tags, ...rate });
}

/** Adds an MQTT app, running. */
export async function addMqtt(
  client: Client,
  node: string,
  port: number,
  settings?: Readonly<Record<string, unknown>>,
): Promise<void> {
  await client.ok('POST', '/node', { name: node, plugin: 'MQTT' });
  await client.ok('POST', '/node/setting', { node, params: mqttSettings(port, settings) });
}

/** Adds a Sparkplug B app, running: the edge node `plant/{node}`. */
export async function addSparkplug(
  client: Client,
  node: string,
  port: number,
  settings?: Readonly<Record<string, unknown>>,
): Promise<void> {
  await client.ok('POST', '/node', { name: node, plugin: 'SparkPlugB' });
  const params = { host: '127.0.0.1', port, 'group-id': 'plant', 'node-id': node, ...settings };
  await client.ok('POST', '/node/setting', { node, params });
}

/** Address of a holding register of unit 1; the first register is 1. */
export const holding = (register: number): string => `1!4${String(register).padStart(5, '0')}`;

/** Tags of INT16 on consecutive holding registers of unit 1. */
export function registerTags(count: number, attribute: number = Attribute.READ, first = 1): TagBody[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `tag${index}`,
    address: holding(first + index),
    attribute,
    type: DataType.INT16,
  }));
}

/** The readable tags of a group with their values or errors, by name. */
export async function readGroup(
  client: Client,
  node: string,
  group: string,
  sync = false,
): Promise<Map<string, TagValue>> {
  const { tags } = await client.ok<{ tags: TagValue[] }>('POST', '/read', { node, group, sync });
  return new Map(tags.map((tag) => [tag.name, tag]));
}

/** Waits until every tag of a group carries a value, and returns them. */
export function readValues(
  client: Client,
  node: string,
  group: string,
  within?: number,
): Promise<Map<string, TagValue>> {
  return until(
    `every tag of ${node}/${group} carries a value`,
    async () => {
      const tags = await readGroup(client, node, group);
      return tags.size > 0 && [...tags.values()].every((tag) => tag.error === undefined) ? tags : undefined;
    },
    { within },
  );
}

/** Waits until a tag has a value. */
export async function hasValue(
  client: Client,
  node: string,
  group: string,
  tag: string,
  value: unknown,
): Promise<void> {
  await until(
    `the tag ${tag} of ${node}/${group} is ${String(value)}`,
    async () => (await readGroup(client, node, group)).get(tag)?.value === value,
  );
}

export function stateOf(client: Client, node: string): Promise<NodeState> {
  return client.ok<NodeState>('GET', '/node/state', { node });
}

/** Waits until a node runs and its link is up. */
export function connected(client: Client, node: string, within?: number): Promise<NodeState> {
  return until(
    `${node} is connected`,
    async () => {
      const state = await stateOf(client, node);
      return state.running === RunningState.RUNNING && state.link === 2 ? state : undefined;
    },
    { within },
  );
}
