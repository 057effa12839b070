import { ErrorCode } from '@tagway/schemas';
import { Fault, type TagDraft } from '@tagway/sdk';
import { dataOf, faultFrom, type RunnerAnswers, type RunnerRequest } from '@tagway/sdk/internal';
import type { Preview, PreviewReply, SubscriptionCheck } from '../../core/ports/ports.ts';
import type { GroupCache } from '../samples/group-cache.ts';
import type { Supervisor } from '../runners/supervisor.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** For a runner to come up and for its answer, in milliseconds. */
const deadline = 5000;

type Check = 'checkTags' | 'checkSettings' | 'countRequests' | 'checkSubscription' | 'preview';

/** The fault of each tag that is refused, by the plugin's manifest or by its code, which are both tried in its runner. */
export async function checkTags(
  runner: Supervisor,
  tags: readonly TagDraft[],
  settings: Readonly<Record<string, unknown>> | undefined,
): Promise<readonly (Fault | undefined)[]> {
  const { name, addresses, inputs } = runner.plugin;
  const faults = await ask<'checkTags'>(runner, {
    op: 'checkTags',
    tags,
    rules: {
      plugin: name,
      addresses: addresses.map(({ type, pattern }) => ({ type, pattern })),
      ...(inputs && { inputs }),
    },
    ...(settings !== undefined && { settings }),
  });
  return faults.map((fault) => fault && faultFrom(fault));
}

/** Rejects with NODE_SETTING_INVALID. */
export async function checkSettings(
  runner: Supervisor,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  await ask<'checkSettings'>(runner, { op: 'checkSettings', settings });
}

/** How many requests a reading of these tags takes; undefined when the plugin cannot say. */
export function countRequests(
  runner: Supervisor,
  tags: readonly TagDraft[],
  settings: Readonly<Record<string, unknown>>,
): Promise<number | undefined> {
  return ask<'countRequests'>(runner, { op: 'countRequests', tags, settings });
}

/** Rejects with GROUP_PARAM_INVALID. */
export async function checkSubscription(runner: Supervisor, subscription: SubscriptionCheck): Promise<void> {
  await ask<'checkSubscription'>(runner, { op: 'checkSubscription', ...subscription });
}

/** What an app would send for the latest sample of a group. Rejects with NOT_READY or PLUGIN_TYPE_UNSUPPORTED. */
export async function preview(
  runner: Supervisor,
  cache: GroupCache,
  { name, settings, params }: Preview,
): Promise<PreviewReply> {
  const sample = cache.latest();
  const { name: group, node } = cache.group;
  if (sample === undefined)
    throw new Refusal(
      ErrorCode.NOT_READY,
      sentence`Nothing has been read of the group "${group}" of "${node.name}" yet. Start that driver, and look again.`,
    );
  const { layout, timestamp: time } = sample;
  // A preview needs no number of a group, by which runners find the subscribers.
  const data = dataOf(sample, 0);
  const request = { op: 'preview', name, settings, params, sample: data, layout } as const;
  const messages = await ask<'preview'>(runner, request);
  if (messages === undefined)
    throw new Refusal(
      ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
      sentence`The plugin "${runner.plugin.name}" shows no preview of what it sends.`,
    );
  return { time, messages };
}

/** Asks the plugin itself, starting its runner if need be. Rejects with BUSY when it cannot be asked right now. */
async function ask<Op extends Check>(
  runner: Supervisor,
  request: Extract<RunnerRequest, { op: Op }>,
): Promise<RunnerAnswers[Op]> {
  if (!(await runner.whenUp(deadline))) throw busy(runner, 'its runner is not up');
  try {
    return await runner.ask<Op>(request, deadline);
  } catch (error) {
    // DISCONNECTED means a lost device to clients. A check asks no device: the runner is gone.
    if (error instanceof Fault && error.code === ErrorCode.DISCONNECTED)
      throw busy(runner, 'its runner ended meanwhile');
    throw error;
  } finally {
    runner.release();
  }
}

const busy = ({ plugin }: Supervisor, why: string): Fault =>
  new Refusal(
    ErrorCode.BUSY,
    sentence`The plugin "${plugin.name}" cannot be asked right now, because ${why}. Try again in a moment.`,
  );
