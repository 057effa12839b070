import type { Client } from '../kit/client.ts';
import { modbusSettings, mqttSettings } from '../kit/configure.ts';
import type { TagBody } from '../kit/configure.ts';
import { serviceFlags } from '../kit/service-flags.ts';
import { Gateway } from '../kit/gateway.ts';
import { processesOf } from '../kit/processes.ts';
import type { ProcessRow } from '../kit/processes.ts';
import { startBroker } from '../world/brokers.ts';
import type { Broker } from '../world/brokers.ts';
import { FastDevice } from './fast-device.ts';
import type { FastDeviceOptions } from './fast-device.ts';
import { driverSettings } from './plant.ts';
import type { Report } from './report.ts';

/** What a measurement is given. */
export interface MeasureContext {
  /** Takes the figures. */
  readonly report: Report;
  /** Short windows instead of long ones. */
  readonly quick: boolean;
  /** Main module of the gateway that is measured, when it is not this checkout's own. */
  readonly main?: string;
  /** Ends what the measurement has opened. */
  readonly stack: AsyncDisposableStack;
}

export type Measure = (run: MeasureContext) => Promise<void>;

type Settings = Readonly<Record<string, unknown>>;

/** Device, broker and gateway of one measurement. */
export interface Setup {
  readonly device: FastDevice;
  readonly broker: Broker;
  readonly gateway: Gateway;
  readonly client: Client;
}

export interface SetupOptions {
  /** Fills the data folder of the gateway before it starts. */
  readonly prepare?: (data: string) => Promise<void>;
  readonly device?: FastDeviceOptions | undefined;
  /** Further arguments of the command line of the gateway. */
  readonly args?: readonly string[] | undefined;
  /** Starts the gateway, for example where it has less of the machine. */
  readonly around?: ((start: () => Promise<Gateway>) => Promise<Gateway>) | undefined;
}

export async function openSetup(
  { main = Gateway.main, stack }: Pick<MeasureContext, 'main' | 'stack'>,
  { device: deviceOptions, around = (start) => start(), args = [], ...prepare }: SetupOptions = {},
): Promise<Setup> {
  const device = stack.adopt(await FastDevice.start(deviceOptions), (it) => it.stop());
  const broker = stack.adopt(await startBroker(), (it) => it.stop());
  const options = { nodeArgs: serviceFlags(main), main, args, ...prepare };
  const gateway = stack.adopt(await around(() => Gateway.start(options)), (it) => it.dispose());
  return { device, broker, gateway, client: await gateway.client() };
}

export async function addNode({ client }: Setup, node: string, plugin = 'Modbus TCP'): Promise<void> {
  await client.ok('POST', '/node', { name: node, plugin });
}

/** Adds a group with its tags, ten thousand in a call. */
export async function addGroup(
  { client }: Setup,
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

/** Sets a node up, whereupon it runs: by default a driver of the Modbus device. */
export async function startNode(
  { client, device }: Setup,
  node: string,
  params: object = modbusSettings(device.port, driverSettings),
): Promise<void> {
  await client.ok('POST', '/node/setting', { node, params });
}

/** Adds a running MQTT app that has no groups yet, by default at QoS 0. */
export async function addApp(setup: Setup, app: string, settings: Settings = {}): Promise<void> {
  await addNode(setup, app, 'MQTT');
  await startNode(setup, app, mqttSettings(setup.broker.port, { format: 0, qos: 0, ...settings }));
}

/** Has an app upload a group to a topic. */
export async function subscribe(
  { client }: Setup,
  app: string,
  driver: string,
  group: string,
  topic = 'bench',
): Promise<void> {
  await client.ok('POST', '/subscribe', { app, driver, group, params: { topic } });
}

/** Adds a running MQTT app that uploads a group to the topic "bench", by default at QoS 0. */
export async function addUplink(
  setup: Setup,
  node: string,
  group: string,
  settings?: Settings,
): Promise<void> {
  await addApp(setup, 'uplink', settings);
  await subscribe(setup, 'uplink', node, group);
}

/** The gateway's process tree. */
export function processTree({ gateway }: Setup): Promise<ProcessRow[]> {
  return processesOf(gateway.pid, gateway.data);
}

/** A short name of a process of the gateway. */
export function processName({ gateway }: Setup, { pid, title }: ProcessRow): string {
  if (pid === gateway.pid) return 'host';
  const [plugin = '', name = ''] = title.replace(/^tagway: */, '').split(' ');
  return `runner ${plugin} ${name}`.trimEnd();
}
