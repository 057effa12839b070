import type { AppContext } from '@tagway/sdk';
import { BrokerLink } from './broker-link.ts';
import { openCache } from './offline-cache.ts';
import { asQueued, Sender } from './sender.ts';
import { brokerOf, type BrokerSettings, cacheInterval } from './settings.ts';

/** Milliseconds between two checks whether the cache is empty. */
const checkInterval = 100;

/** The client id for a tail: the other gateway of the pair may run the node under the id itself. */
export function tailClientId(clientId: string): string {
  return `${clientId}-tail`;
}

/**
 * Sends the messages that an earlier run left in the cache, marked as historical, without a will or subscriptions. Resolves when the broker
 * has all of them, or when the context's signal aborts; what is left then stays in the cache. An empty cache makes no connection.
 */
export async function sendTail(
  context: AppContext<BrokerSettings>,
  clientId: () => Promise<string>,
  qos: 0 | 1 | 2,
): Promise<void> {
  const { clock, log, node, settings, signal } = context;
  let pump = (): void => undefined;
  const spool = await openCache(context, () => pump());
  try {
    if (spool.backlog === 0) return;
    const broker = { ...brokerOf(settings, tailClientId(await clientId())), qos, will: undefined };
    const sender = new Sender(context, spool, cacheInterval(settings), (record) => ({
      ...asQueued(record),
      historical: true,
    }));
    pump = () => sender.pump();
    const client = { topics: [], subscribeQos: qos, broker: () => broker, received: () => undefined };
    const link = new BrokerLink(context, client, sender);
    link.start();
    while (!signal.aborted && spool.backlog + spool.inFlight > 0)
      await clock.sleep(checkInterval, signal).catch(() => undefined);
    await link.stop();
    if (spool.backlog === 0) log.notice(`The node ${node} has sent the messages of its earlier run.`);
  } finally {
    await spool.close();
  }
}
