import { join } from 'node:path';
import type { AppContext } from '@tagway/sdk';
import { Spool } from '@tagway/sdk/spool';
import { LimitedLog } from '@tagway/store/log';
import { diskLimit, memoryLimit } from './settings.ts';
import type { BrokerSettings } from './settings.ts';

/** Milliseconds. A killed process may lose the samples of one second: this interval, and the time for the write. */
const flushInterval = 750;

type CacheContext = Pick<
  AppContext<BrokerSettings>,
  'clock' | 'count' | 'dataDir' | 'log' | 'node' | 'settings'
>;

/** Opens the store of messages that the broker has not confirmed, with the messages of an earlier run. */
export async function openCache(context: CacheContext, onReady: () => void): Promise<Spool> {
  const { clock, dataDir, log, node, settings } = context;
  const losses = new LimitedLog(clock);
  const errors = new LimitedLog(clock);
  const spool = await Spool.open({
    folder: join(dataDir, 'cache'),
    memory: memoryLimit(settings),
    disk: diskLimit(settings),
    flushInterval,
    onReady,
    onLost: (messages, reason) => {
      context.count('send_msg_errors_total', messages);
      context.count('dropped_msgs_total', messages);
      losses.add(
        (_, count) =>
          log.warn(`The node ${node} dropped ${count} messages, the oldest first, because ${reason}.`),
        messages,
      );
    },
    onError: (sentence) =>
      errors.add(() => log.error(`The cache of the node ${node} has a problem. ${sentence}`)),
  });
  if (spool.backlog > 0)
    log.notice(`The node ${node} has ${spool.backlog} messages in its cache from before and will send them.`);
  return spool;
}
