import { join } from 'node:path';
import type { AppContext } from '@tagway/sdk';
import { Spool } from '@tagway/sdk/spool';
import { RateLimit } from './rate-limit.ts';
import { diskLimit, memoryLimit } from './settings.ts';
import type { BrokerSettings } from './settings.ts';

/** Milliseconds: a killed process loses at most a second of what it read, and the disk takes a part of that. */
const flushInterval = 750;

type CacheContext = Pick<
  AppContext<BrokerSettings>,
  'clock' | 'count' | 'dataDir' | 'log' | 'node' | 'settings'
>;

/** Opens the node's store of messages that the broker has not confirmed, with what an earlier run left in it. */
export async function openCache(context: CacheContext, onReady: () => void): Promise<Spool> {
  const { clock, dataDir, log, node, settings } = context;
  const lost = new RateLimit(clock);
  const troubles = new RateLimit(clock);
  const spool = await Spool.open({
    folder: join(dataDir, 'cache'),
    memory: memoryLimit(settings),
    disk: diskLimit(settings),
    flushInterval,
    onReady,
    onLost: (messages, reason) => {
      context.count('send_msg_errors_total', messages);
      context.count('dropped_msgs_total', messages);
      const told = lost.add(messages);
      if (told > 0)
        log.warn(`The node ${node} dropped ${told} messages, the oldest first, because ${reason}.`);
    },
    onError: (sentence) => {
      if (troubles.add() > 0) log.error(`The cache of the node ${node} has a problem. ${sentence}`);
    },
  });
  if (spool.backlog > 0)
    log.notice(`The node ${node} has ${spool.backlog} messages in its cache from before and will send them.`);
  return spool;
}
