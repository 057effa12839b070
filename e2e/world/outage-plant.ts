import { FastDevice } from '../bench/fast-device.ts';
import { int16Tags } from '../bench/plant.ts';
import { type Broker, startBroker } from './brokers.ts';
import type { Client } from '../kit/client.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { Gateway } from '../kit/gateway.ts';
import { type Used, usePlantOf } from './plant.ts';
import type { SampleTally } from './sample-tally.ts';

/** A broker that a test stops, and replaces by one that knows nothing of it. */
class ReplaceableBroker {
  #broker: Broker;

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  get port(): number {
    return this.#broker.port;
  }

  stop(): Promise<void> {
    return this.#broker.stop();
  }

  async replace(): Promise<void> {
    this.#broker = await startBroker();
  }
}

/** A fast device, and a gateway between two brokers. */
interface OutagePlant {
  readonly device: FastDevice;
  readonly gateway: Gateway;
  readonly client: Client;
  /** Is always there, and tells what there was to send. */
  readonly steady: Broker;
  /** Is behind the proxy. */
  readonly broker: ReplaceableBroker;
  readonly proxy: TcpProxy;
}

async function startOutagePlant(stack: AsyncDisposableStack): Promise<OutagePlant> {
  const device = await FastDevice.start();
  stack.defer(() => device.stop());
  const steady = await startBroker();
  stack.defer(() => steady.stop());
  const broker = new ReplaceableBroker(await startBroker());
  stack.defer(() => broker.stop());
  const proxy = await TcpProxy.open(broker.port);
  stack.defer(() => proxy.shut());
  const gateway = await Gateway.start();
  stack.defer(() => gateway.dispose());
  return { device, gateway, client: await gateway.client(), steady, broker, proxy };
}

interface UsedOutagePlant extends OutagePlant, Used {
  /** A metric of a node, 0 when there is none. */
  readonly metric: (name: string, node: string) => Promise<number>;
}

/** To be called in a suite: the plant is started before its first test and stopped after the last, and the tally before its broker goes. */
export function useOutagePlant(truth: SampleTally): UsedOutagePlant {
  after(() => truth.close());
  const plant = usePlantOf(startOutagePlant, ['device', 'gateway', 'client', 'steady', 'broker', 'proxy']);
  return { ...plant, metric: (name, node) => metricOf(plant.gateway, name, node) };
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

async function metricOf({ url }: Gateway, name: string, node: string): Promise<number> {
  const text = await (await fetch(new URL('/api/v2/metrics', url))).text();
  return Number(new RegExp(`^tagway_${name}\\{node="${node}"\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}
