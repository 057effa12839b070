import { setTimeout as sleep } from 'node:timers/promises';
import {
  AttributeIds,
  BrowseDirection,
  type ClientSubscription,
  type DataValue,
  NodeClass,
  TimestampsToReturn,
  constructEventFilter,
} from 'node-opcua-client';
import { Client } from './client.ts';

const { Object: isObject, Variable: isVariable } = NodeClass;

/** A client that is always there: it connects again and again, monitors every tag that it finds, and looks again when the server says so. */
export class PersistentClient implements AsyncDisposable {
  readonly port: number;
  /** Values that have come, but for the first one of each tag. */
  taken = 0;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(port: number) {
    this.port = port;
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await using client = await Client.connect(this.port, {
          client: {
            keepSessionAlive: true,
            requestedSessionTimeout: 3000,
            defaultTransactionTimeout: 1500,
            transportTimeout: 6000,
          },
        });
        await this.#watch(client);
      } catch {
        // The next one may be served.
      }
      await sleep(50);
    }
  }

  async #watch(client: Client): Promise<void> {
    let isLost = false;
    client.session.on('session_closed', () => (isLost = true));
    client.session.on('keepalive_failure', () => (isLost = true));
    client.client.on('connection_lost', () => (isLost = true));
    client.client.on('close', () => (isLost = true));
    const subscription = await client.monitor([], () => undefined, {}, 20);
    let isStale = true;
    const events = await subscription.monitor(
      { nodeId: 'Server', attributeId: AttributeIds.EventNotifier },
      { samplingInterval: 0, queueSize: 10, discardOldest: true, filter: constructEventFilter(['Changes']) },
      TimestampsToReturn.Both,
    );
    events.on('changed', () => (isStale = true));
    const known = new Set<string>();
    while (!this.#isOver && !isLost) {
      if (isStale) {
        isStale = false;
        await this.#monitorNew(client, subscription, known);
      }
      await sleep(20);
    }
  }

  async #monitorNew(client: Client, subscription: ClientSubscription, known: Set<string>): Promise<void> {
    const found = await variablesBelow(client, [client.id('/')]);
    for (const id of known) if (!found.includes(id)) known.delete(id);
    const fresh = found.filter((id) => !known.has(id));
    if (fresh.length === 0) return;
    const group = await subscription.monitorItems(
      fresh.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value })),
      { samplingInterval: 0, queueSize: 10, discardOldest: true },
      TimestampsToReturn.Both,
    );
    const seen = new Set<number>();
    group.on('changed', (_item, _value: DataValue, index: number) => {
      if (seen.has(index)) this.taken++;
      seen.add(index);
    });
    for (const id of fresh) known.add(id);
  }
}

/** The node ids of all variables below these nodes. */
async function variablesBelow(client: Client, nodes: readonly string[]): Promise<string[]> {
  if (nodes.length === 0) return [];
  const results = await client.session.browse(
    nodes.map((nodeId) => ({
      nodeId,
      browseDirection: BrowseDirection.Forward,
      referenceTypeId: 'HierarchicalReferences',
      includeSubtypes: true,
      nodeClassMask: isObject | isVariable,
      resultMask: 63,
    })),
  );
  const all = results.flatMap(({ references }) => references ?? []);
  const of = (kind: number): string[] =>
    all
      .filter(
        ({ nodeClass, browseName }) => (nodeClass as number) === kind && browseName.name !== 'NodeVersion',
      )
      .map(({ nodeId }) => nodeId.toString());
  return [...of(isVariable), ...(await variablesBelow(client, of(isObject)))];
}
