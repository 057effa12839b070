import { ErrorCode } from '@tagway/schemas';
import { Fault, type TagDraft } from '@tagway/sdk';
import type { RunnerAnswers, RunnerRequest } from '@tagway/sdk/internal';
import { checkPatterns } from './address-patterns.ts';
import type { Supervisor } from './supervisor.ts';

/** For a runner to come up and for its answer, in milliseconds. */
const deadline = 5000;

type Check = 'checkTags' | 'checkSettings' | 'checkParams';

/**
 * A code or 0 for each tag. The plugin's own code is asked even for addresses that no pattern of the manifest fits, because it
 * knows best what is wrong with them; when it cannot be asked, the patterns are enough to refuse tags, but not to take them.
 */
export async function checkTags(runner: Supervisor, tags: readonly TagDraft[]): Promise<readonly number[]> {
  const codes = checkPatterns(runner.plugin, tags);
  const known = tags.filter((_tag, index) => codes[index] !== ErrorCode.TAG_TYPE_UNSUPPORTED);
  if (known.length === 0) return codes;
  let answers: readonly number[];
  try {
    answers = await ask<'checkTags'>(runner, { op: 'checkTags', tags: known });
  } catch (error) {
    if (codes.includes(0)) throw error;
    return codes;
  }
  let next = 0;
  return codes.map((code) => (code === ErrorCode.TAG_TYPE_UNSUPPORTED ? code : answers[next++] || code));
}

/** Rejects with NODE_SETTING_INVALID. */
export async function checkSettings(
  runner: Supervisor,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  await ask<'checkSettings'>(runner, { op: 'checkSettings', settings });
}

/** Rejects with GROUP_PARAM_INVALID. */
export async function checkParams(
  runner: Supervisor,
  params: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  await ask<'checkParams'>(runner, { op: 'checkParams', params });
}

/** Asks the plugin itself, starting its runner if need be. Rejects with BUSY when it cannot be asked right now. */
async function ask<Op extends Check>(
  runner: Supervisor,
  request: Extract<RunnerRequest, { op: Op }>,
): Promise<RunnerAnswers[Op]> {
  if (!(await runner.whenUp(deadline))) {
    throw new Fault(
      ErrorCode.BUSY,
      `The plugin "${runner.plugin.name}" cannot be asked right now, because its runner is not up. Try again in a moment.`,
    );
  }
  const answer = await runner.ask<Op>(request, deadline);
  runner.release();
  return answer;
}
