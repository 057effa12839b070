import { join } from 'node:path';
import type { AppContext } from '@tagway/sdk';
import { Spool } from '@tagway/sdk/spool';
import { LimitedLog } from './limited-log.ts';
import type { StoreSettings } from './settings.ts';

/** Milliseconds. A killed process may lose the samples of one second: this interval, and the time for the write. */
const flushInterval = 900;

/** Opens what the store has not confirmed, with what an earlier run has left. */
export async function openSpool(context: AppContext<StoreSettings>, onReady: () => void): Promise<Spool> {
  const { clock, dataDir, log, node, settings } = context;
  const losses = new LimitedLog(clock);
  const errors = new LimitedLog(clock);
  const spool = await Spool.open({
    folder: join(dataDir, 'cache'),
    memory: settings['cache-mem-size'] * 1_000_000,
    disk: settings['cache-disk-size'] * 1_000_000,
    flushInterval,
    onReady,
    onLost: (records, reason) => {
      context.count('send_msg_errors_total', records);
      context.count('dropped_msgs_total', records);
      losses.add(
        (_, count) =>
          log.warn(`The node ${node} dropped ${count} records, the oldest first, because ${reason}.`),
        records,
      );
    },
    onError: (sentence) =>
      errors.add(() => log.error(`The cache of the node ${node} has a problem. ${sentence}`)),
  });
  if (spool.backlog > 0)
    log.notice(`The node ${node} has ${spool.backlog} records in its cache from before and will send them.`);
  return spool;
}
