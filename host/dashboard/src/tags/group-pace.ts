import type { GroupPace } from '@tagway/schemas';

export const groupReports = ['default', 'change', 'always'] as const;

/** When apps get reports of a group, as its record has it: what is left out is as in every group. */
export function paceOf({ report, min_interval, max_interval }: GroupPace): GroupPace {
  return {
    ...(report !== undefined && { report }),
    ...(min_interval !== undefined && { min_interval }),
    ...(max_interval !== undefined && { max_interval }),
  };
}

/** The same with all that is left out, as forms and files have it. */
export function wholePace({
  report = 'default',
  min_interval = 0,
  max_interval = 0,
}: GroupPace): Required<GroupPace> {
  return { report, min_interval, max_interval };
}
