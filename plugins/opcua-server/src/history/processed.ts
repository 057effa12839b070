import type { HistoryBucket } from '@tagway/sdk';
import type { DataValue } from 'node-opcua-data-value';
import { type NodeId, NodeIdType } from 'node-opcua-nodeid';
import { StatusCode, StatusCodes } from 'node-opcua-status-code';
import type { ReadProcessedDetails } from 'node-opcua-types';
import { DataType } from 'node-opcua-variant';
import type { TagVariable } from '../space/variable.ts';
import { continuationOf, pointOf } from './continuation.ts';
import { type HistoryPart, type HistorySource, Refused } from './history-part.ts';
import { statusOfPoint } from './history-statuses.ts';
import { historyValue } from './history-value.ts';

interface Aggregate {
  readonly of: (bucket: HistoryBucket) => number | undefined;
  /** Undefined: that of the tag. */
  readonly type?: DataType;
}

/** By the numbers of the standard. */
const aggregates: ReadonlyMap<unknown, Aggregate> = new Map<unknown, Aggregate>([
  [2342, { of: ({ mean }) => mean, type: DataType.Double }],
  [2346, { of: ({ min }) => min }],
  [2347, { of: ({ max }) => max }],
  [2352, { of: ({ count }) => count, type: DataType.Int32 }],
]);

/** The nodes of the standard that stand for the aggregates. */
export const aggregateNodes = [...aggregates.keys()] as readonly number[];

/** Reads an aggregate of the values of each interval of a range, the last interval first where the range ends before it begins. */
export async function readProcessed(
  { type }: TagVariable,
  { startTime, endTime, processingInterval, aggregateType }: ReadProcessedDetails,
  index: number,
  continuation: Buffer | null,
  history: HistorySource,
  most: number,
): Promise<HistoryPart> {
  const wanted = aggregateType?.[index];
  if (wanted === undefined) throw new Refused(StatusCodes.BadAggregateListMismatch);
  const aggregate = aggregateOf(wanted);
  const first = startTime?.getTime() ?? NaN;
  const end = endTime?.getTime() ?? NaN;
  if (!Number.isFinite(first) || !Number.isFinite(end) || first === end)
    throw new Refused(StatusCodes.BadInvalidArgument);
  const isReversed = end < first;
  const start = continuationOf(continuation, Math.max(first, end))?.time ?? first;
  const range = Math.abs(end - start);
  const step = Math.min(processingInterval > 0 ? Math.max(1, processingInterval) : range, range);
  if (range === 0) return { values: [] };
  const whole = Math.min(Math.floor(range / step), most) * step;
  const stop = isReversed ? start - whole : start + whole;
  const found = await bucketsOf(history, start, stop, step);
  const isCut = whole / step === most && stop !== end;
  // What is left of a range that is no multiple of the interval.
  if (stop !== end && !isCut) found.push(...(await bucketsOf(history, stop, end, Math.abs(end - stop))));
  return {
    values: found.map((bucket) => valueOf(bucket, aggregate, type)),
    ...(isCut && { continuation: pointOf({ time: stop, skip: 0, left: 0 }) }),
  };
}

/** The buckets from one time to another, each with the time at which it begins in this direction. */
async function bucketsOf(
  history: HistorySource,
  start: number,
  stop: number,
  step: number,
): Promise<HistoryBucket[]> {
  const from = Math.min(start, stop);
  // The end of a range is not in it, and times are whole milliseconds.
  const { buckets } = await history({ from, to: Math.max(start, stop) - 0.5, step });
  if (start < stop) return [...buckets];
  return buckets.toReversed().map((bucket) => ({ ...bucket, time: bucket.time + step }));
}

function aggregateOf({ namespace, identifierType, value }: NodeId): Aggregate {
  const known = namespace === 0 && identifierType === NodeIdType.NUMERIC ? aggregates.get(value) : undefined;
  if (known === undefined) throw new Refused(StatusCodes.BadAggregateNotSupported);
  return known;
}

function valueOf(bucket: HistoryBucket, { of, type }: Aggregate, own: DataType): DataValue {
  const { time, error } = bucket;
  const value = of(bucket);
  if (value === undefined)
    return historyValue(time, undefined, own, error === 0 ? StatusCodes.BadNoData : statusOfPoint(error));
  const status = error === 0 ? StatusCodes.Good : StatusCodes.UncertainDataSubNormal;
  return historyValue(time, value, type ?? own, StatusCode.makeStatusCode(status, 'HistorianCalculated'));
}
