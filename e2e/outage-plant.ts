import { FastDevice } from './bench/fast-device.ts';
import { int16Tags } from './bench/plant.ts';
import { type Broker, startBroker } from './brokers.ts';
import type { Client } from './client.ts';
import { Gate } from './gate.ts';
import { Gateway } from './gateway.ts';

/** A fast device, and a gateway between two brokers. */
export interface OutagePlant {
  readonly device: FastDevice;
  readonly gateway: Gateway;
  readonly client: Client;
  /** Is always there, and tells what there was to send. */
  readonly steady: Broker;
  /** Is behind the gate, and stopped and replaced by the test. */
  readonly broker: Broker;
  readonly gate: Gate;
}

/** Starts a plant. What was started is stopped with `stack`, but for the broker behind the gate. */
export async function startOutagePlant(stack: AsyncDisposableStack): Promise<OutagePlant> {
  const device = await FastDevice.start();
  stack.defer(() => device.stop());
  const steady = await startBroker();
  stack.defer(() => steady.stop());
  const broker = await startBroker();
  const gate = await Gate.open(broker.port);
  stack.defer(() => gate.shut());
  const gateway = await Gateway.start();
  stack.defer(() => gateway.dispose());
  return { device, gateway, client: await gateway.client(), steady, broker, gate };
}

/** Adds a Modbus node without settings, with groups 0, 1 and so on, which have INT16 tags of their own. */
export async function addGroups(
  client: Client,
  node: string,
  { groups, tagsPerGroup, interval }: Record<'groups' | 'tagsPerGroup' | 'interval', number>,
): Promise<void> {
  await client.ok('POST', '/node', { name: node, plugin: 'Modbus TCP' });
  for (let group = 0; group < groups; group += 1) {
    const name = `group ${group}`;
    await client.ok('POST', '/group', { name, node, interval });
    const tags = int16Tags(tagsPerGroup, group * tagsPerGroup);
    await client.ok('POST', '/tags', { node, group: name, tags });
  }
}

/** A metric of a node, 0 when there is none. */
export async function metricOf({ url }: Gateway, name: string, node: string): Promise<number> {
  const text = await (await fetch(new URL('/api/v2/metrics', url))).text();
  return Number(new RegExp(`^tagway_${name}\\{node="${node}"\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}
