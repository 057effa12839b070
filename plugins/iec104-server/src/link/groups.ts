import { join } from 'node:path';
import type { AppContext } from '@tagway/sdk';
import { LimitedLog } from '@tagway/store/log';
import type { Settings } from '../settings.ts';
import { centresOf } from './centres.ts';
import { EventQueue } from './event-queue.ts';
import { RedundancyGroup } from './redundancy-group.ts';

/** Opens the queue of each redundancy group. `lost` is called when events of a group were dropped. */
export async function openGroups(
  context: AppContext<Settings>,
  lost: (group: RedundancyGroup) => void,
): Promise<readonly RedundancyGroup[]> {
  const { centres = '', event_disk } = context.settings;
  const all = centresOf(centres);
  if (typeof all === 'string') return [];
  const groups: RedundancyGroup[] = [];
  for (const centre of all)
    groups.push(await openGroup(context, centre, (event_disk * 1_000_000) / all.length, lost));
  return groups;
}

async function openGroup(
  context: AppContext<Settings>,
  centre: RedundancyGroup['centre'],
  disk: number,
  lost: (group: RedundancyGroup) => void,
): Promise<RedundancyGroup> {
  const { clock, dataDir, log, node } = context;
  const losses = new LimitedLog(clock);
  const errors = new LimitedLog(clock);
  const made: { group?: RedundancyGroup } = {};
  const queue = await EventQueue.open({
    folder: join(dataDir, `events-${centre.name}`),
    disk,
    onReady: () => made.group?.active?.pump(),
    onLost: (units, reason) => {
      context.count('dropped_msgs_total', units);
      losses.add(
        (_, sum) =>
          log.warn(
            `The node ${node} dropped ${sum} messages with events for the redundancy group "${centre.name}", the oldest first, because ${reason}.`,
          ),
        units,
      );
      if (made.group !== undefined) lost(made.group);
    },
    onError: (sentence) =>
      errors.add(() =>
        log.error(`The queue of events of the redundancy group "${centre.name}" has a problem. ${sentence}`),
      ),
  });
  const group = new RedundancyGroup(centre, queue);
  made.group = group;
  if (queue.size > 0)
    log.notice(
      `The redundancy group "${centre.name}" has ${queue.size} messages with events from before, which are sent first.`,
    );
  return group;
}
