import { ErrorCode, type GroupPace, Limits } from '@tagway/schemas';
import { Refusal, sentence } from '../system/sentence.ts';

/** The pace of anything that has one among its members. */
export function paceMembers({ report, min_interval, max_interval }: GroupPace): GroupPace {
  return {
    ...(report !== undefined && { report }),
    ...(min_interval !== undefined && { min_interval }),
    ...(max_interval !== undefined && { max_interval }),
  };
}

/** The pace of a group: what is given, otherwise what was before. Undefined where the tags alone decide what apps get. */
export function paceOf(given: GroupPace, before?: GroupPace): GroupPace | undefined {
  const { report = 'default', min_interval = 0, max_interval = 0 } = { ...before, ...paceMembers(given) };
  const pace: GroupPace = {
    ...(report !== 'default' && { report }),
    ...(min_interval !== 0 && { min_interval }),
    ...(max_interval !== 0 && { max_interval }),
  };
  return Object.keys(pace).length === 0 ? undefined : pace;
}

/** Throws GROUP_PARAM_INVALID. */
export function checkPace(group: string, pace: GroupPace | undefined): void {
  const { min_interval = 0, max_interval = 0 } = pace ?? {};
  for (const [name, value] of Object.entries({ min_interval, max_interval }))
    if (!Number.isInteger(value) || value < 0 || value > Limits.intervalMax)
      throw new Refusal(
        ErrorCode.GROUP_PARAM_INVALID,
        sentence`The group "${group}" has a ${name} of ${value}; it is from 0, which is none, to ${Limits.intervalMax} milliseconds.`,
      );
  if (max_interval > 0 && min_interval > max_interval)
    throw new Refusal(
      ErrorCode.GROUP_PARAM_INVALID,
      sentence`The group "${group}" has a min_interval of ${min_interval}, which is more than its max_interval of ${max_interval}; make it less.`,
    );
}

export function isSamePace(one: GroupPace | undefined, other: GroupPace | undefined): boolean {
  return (
    one?.report === other?.report &&
    one?.min_interval === other?.min_interval &&
    one?.max_interval === other?.max_interval
  );
}
