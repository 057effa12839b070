import type { HistoryReply } from '@tagway/schemas';
import type { HistoryPoint } from '@tagway/sdk';
import type { Gateway } from '../../core/gateway.ts';
import { withQuery, type Endpoints } from '../route.ts';
import { groupErrors } from './shared-errors.ts';

/** Milliseconds of a range whose begin is not given. */
const day = 86_400_000;

/** Not in the specification. The standby of a pair has what it has read itself while it was the active gateway. */
export function historyEndpoints({ history }: Gateway): Endpoints {
  return {
    'GET /api/v2/history': withQuery(
      'HistoryQuery',
      {
        role: 'viewer',
        summary: 'Gives what a tag was in the last day, if its group keeps a history.',
        reply: 'HistoryReply',
        errors: [...groupErrors, 'TAG_NOT_FOUND', 'HISTORY_NOT_KEPT', 'BUSY'],
      },
      async ({ node, group, tag, from, to, buckets, limit }) => {
        const end = to === undefined ? Date.now() : Number(to);
        const begin = from === undefined ? Math.max(0, end - day) : Number(from);
        const step =
          buckets === undefined ? undefined : Math.max(1, Math.ceil((end - begin) / Number(buckets)));
        const range = { from: begin, to: end, step, ...(limit !== undefined && { limit: Number(limit) }) };
        const reading = await history.read(node, group, tag, range);
        const { oldest, before, problem, next } = reading;
        const listed = step === undefined ? reading.points : reading.buckets;
        const errors = listed.map(({ error }) => error);
        const qualities = listed.map(({ quality }) => quality);
        return {
          from: begin,
          to: end,
          ...(oldest !== undefined && { oldest }),
          ...(problem !== undefined && { problem }),
          ...(before !== undefined && { before: shown(before) }),
          times: listed.map(({ time }) => time),
          ...(step === undefined
            ? { values: reading.points.map(({ value }) => value ?? null) }
            : {
                min: reading.buckets.map(({ min }) => min ?? null),
                max: reading.buckets.map(({ max }) => max ?? null),
                mean: reading.buckets.map(({ mean }) => mean ?? null),
                count: reading.buckets.map(({ count }) => count),
              }),
          ...(errors.some((error) => error !== 0) && { errors }),
          ...(qualities.some((quality) => quality !== 0) && { qualities }),
          ...(next !== undefined && { next }),
        } satisfies Exact<HistoryReply>;
      },
    ),
  };
}

/** A reply in which large integers are exact. */
type Exact<Reply> = Omit<Reply, 'values' | 'before'> & {
  readonly values?: unknown;
  readonly before?: unknown;
};

const shown = ({ time, value, error }: HistoryPoint): object => ({
  time,
  value: value ?? null,
  ...(error !== 0 && { error }),
});
