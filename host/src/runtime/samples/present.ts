import { ErrorCode } from '@tagway/schemas';
import type { Sample } from '@tagway/sdk';
import type { NodeRun } from '../runners/node-runs.ts';
import type { Supervisor } from '../runners/supervisor.ts';
import type { GroupCache } from './group-cache.ts';

/** What a driver that reads a group has of it now: the latest sample, or why there is none. */
export function presentOf(
  cache: GroupCache,
  run: NodeRun | undefined,
  runner: Supervisor | undefined,
): Sample {
  const { name, plugin } = cache.group.node;
  if (run === undefined) return cache.failed(ErrorCode.NOT_RUNNING, `The node "${name}" does not run.`);
  if (runner?.isUp === true) return cache.present();
  return cache.failed(
    ErrorCode.DISCONNECTED,
    `The runner of the plugin "${plugin.name}" is not up; it is started shortly.`,
  );
}
