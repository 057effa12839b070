import type { HistoryReply } from '@tagway/schemas';
import { ErrorCode } from '@tagway/schemas';
import { useQueries } from '@tanstack/react-query';
import { ApiError, call } from '../api/call.ts';
import { feed } from '../live/feed.ts';
import { groupKey } from '../live/hub-cache.ts';
import type { TagReference } from './references.ts';
import { curveOf, emptyCurve, type Curve } from './trend-curve.ts';

/** Milliseconds that a trend may show. */
export const spans = { five: 300_000, quarter: 900_000, hour: 3_600_000, day: 86_400_000 } as const;
export type Span = keyof typeof spans;

/** Buckets of a span: about as many as a chart has pixels. */
const buckets = 600;
/** Milliseconds between two looks at the history. What comes in between is drawn from the live values. */
const pause = { five: 60_000, quarter: 60_000, hour: 120_000, day: 300_000 } as const;

export interface TagHistory {
  /** False: the group keeps none. Undefined: nothing is known yet. */
  readonly isKept: boolean | undefined;
  /** The oldest value of the group that is kept, in milliseconds by the clock of the gateway: it is the same for all its tags. */
  readonly oldest: number | undefined;
  /** Why values of now are not stored. */
  readonly problem: string | undefined;
  readonly curve: Curve;
  readonly error: unknown;
}

/** What the gateway has kept of some tags. */
export function useHistories(picks: readonly TagReference[], span: Span): readonly TagHistory[] {
  return useQueries({
    queries: picks.map((pick) => ({
      queryKey: ['history', pick.node, pick.group, pick.name, span],
      queryFn: () => historyOf(pick, spans[span]),
      refetchInterval: pause[span],
      retry: false,
    })),
    combine: (results) =>
      results.map(({ data, error }): TagHistory => {
        if (data !== undefined) return data;
        const isNone = error instanceof ApiError && error.code === ErrorCode.HISTORY_NOT_KEPT;
        const nothing = { oldest: undefined, problem: undefined, curve: emptyCurve };
        return { ...nothing, isKept: isNone ? false : undefined, error: isNone ? null : error };
      }),
  });
}

async function historyOf({ node, group, name: tag }: TagReference, span: number): Promise<TagHistory> {
  const ahead = aheadOf(node, group);
  const to = Date.now() + ahead;
  const query = { node, group, tag, from: Math.round(to - span), to: Math.round(to), buckets };
  const reply = await call<HistoryReply>('GET', 'api/v2/history', { query });
  return {
    isKept: true,
    oldest: reply.oldest,
    problem: reply.problem,
    curve: curveOf(reply, ahead),
    error: null,
  };
}

/** Milliseconds by which the clock of the gateway is ahead of that of this computer. */
function aheadOf(node: string, group: string): number {
  const values = feed.get().values.get(groupKey(node, group));
  return values === undefined || values.time === 0 ? 0 : values.time - values.at;
}
