import type { AppContext } from '@tagway/sdk';
import { openCache } from './cache.ts';
import { Link } from './link.ts';
import { asItIs, Sender } from './sender.ts';
import { brokerOf, type BrokerSettings, cacheInterval } from './settings.ts';

/** Milliseconds between two looks at what is left. */
const lookInterval = 100;

/** Who sends the tail beside the node of this name, which the other gateway of the pair may run. */
export function tailOf(clientId: string): string {
  return `${clientId}-tail`;
}

/**
 * Sends what the cache of an earlier run holds, marked as historical, and nothing else: no will, no subscription. Resolves when the broker has
 * it all, without a connection when there is nothing, and when the context's signal aborts; what is left then stays in the cache.
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
    const broker = { ...brokerOf(settings, tailOf(await clientId())), qos, will: undefined };
    const sender = new Sender(context, spool, cacheInterval(settings), (record, backlog) => {
      const outgoing = asItIs(record, backlog);
      return outgoing && { ...outgoing, historical: true };
    });
    pump = () => sender.pump();
    const session = { topics: [], subscribeQos: qos, broker: () => broker, received: () => undefined };
    const link = new Link(context, session, sender);
    link.start();
    while (!signal.aborted && spool.backlog + spool.inFlight > 0)
      await clock.sleep(lookInterval, signal).catch(() => undefined);
    await link.stop();
    if (spool.backlog === 0) log.notice(`The node ${node} has sent what its cache held from before.`);
  } finally {
    await spool.close();
  }
}
