import type { HistoryPoint } from '@tagway/sdk';
import type { DataValue } from 'node-opcua-data-value';
import { StatusCodes } from 'node-opcua-status-code';
import type { ReadRawModifiedDetails } from 'node-opcua-types';
import type { TagVariable } from '../space/variable.ts';
import { statusOfFlags } from '../values/statuses.ts';
import { type Continuation, continuationOf, pointOf } from './continuation.ts';
import { type HistoryPart, type HistorySource, Refused } from './history-part.ts';
import { statusOfPoint } from './history-statuses.ts';
import { historyValue } from './history-value.ts';
import { readLast } from './last-points.ts';

/** Times from before 1971 mean that none is given. */
const earliest = Date.UTC(1971, 0);
/** The end of time, where a read has none. */
const latest = 253_402_300_799_000;

/** A read from one time to another, of which one may be missing, in the order of its values. */
interface RawRead {
  readonly history: HistorySource;
  readonly first: number;
  /** Undefined: as many values as asked for, however far that is. */
  readonly last: number | undefined;
  readonly hasBounds: boolean;
  readonly count: number;
  readonly resume: Continuation | undefined;
}

/** Values in the order of the read. `missing`: a bound that is not there. */
interface RawValues {
  readonly values: readonly (HistoryPoint | Missing)[];
  /** Where the rest begins. */
  readonly rest: Omit<Continuation, 'left'> | undefined;
}

interface Missing {
  readonly missing: number;
}

/** Reads every value of a range, the newest first where the range ends before it begins; `most` at a time. */
export async function readRaw(
  { type }: TagVariable,
  details: ReadRawModifiedDetails,
  continuation: Buffer | null,
  history: HistorySource,
  most: number,
): Promise<HistoryPart> {
  const { isReadModified, startTime, endTime, numValuesPerNode, returnBounds } = details;
  if (isReadModified) throw new Refused(StatusCodes.BadHistoryOperationUnsupported);
  const start = timeOf(startTime);
  const end = timeOf(endTime);
  const first = start ?? end;
  if (first === undefined || ((start === undefined || end === undefined) && numValuesPerNode === 0))
    throw new Refused(StatusCodes.BadHistoryOperationInvalid);
  const resume = continuationOf(continuation, latest);
  const last = start === undefined ? undefined : end;
  const asked = (last === undefined && resume?.left) || numValuesPerNode;
  const count = asked === 0 ? most : Math.min(asked, most);
  const read = { history, first, last, hasBounds: returnBounds, count, resume };
  const isReversed = start === undefined || (end !== undefined && end < start);
  const { values, rest } = await (isReversed ? readBackward(read) : readForward(read));
  // A read without an end asks for a number of values and no more.
  const left = last === undefined ? asked - values.length : 0;
  const goesOn = rest !== undefined && (last !== undefined || left > 0);
  return {
    values: values.map((value) => valueOf(value, type)),
    ...(goesOn && { continuation: pointOf({ ...rest, left }) }),
  };
}

async function readForward({ history, first, last, hasBounds, count, resume }: RawRead): Promise<RawValues> {
  const from = resume?.time ?? first;
  // The end of a range is not in it, unless it is the beginning as well, or a bound.
  const to = last === undefined ? latest : hasBounds || last === first ? last : last - 1;
  const skip = resume?.skip ?? 0;
  const { points, before, next } = await history({ from, to, limit: count + skip + 1 });
  const values: (HistoryPoint | Missing)[] = points.slice(skip);
  if (hasBounds && resume === undefined && points[0]?.time !== first)
    values.unshift(before ?? { missing: first });
  if (hasBounds && last !== undefined && next === undefined && points.at(-1)?.time !== last)
    values.push(await valueAfter(history, last));
  return parted(values, count, resume);
}

async function readBackward({ history, first, last, hasBounds, count, resume }: RawRead): Promise<RawValues> {
  const to = resume?.time ?? first;
  const from = last === undefined ? 0 : hasBounds ? last : last + 1;
  const skip = resume?.skip ?? 0;
  const { points, isWhole } = await readLast(history, from, to, count + skip + 1);
  const values: (HistoryPoint | Missing)[] = points.toReversed().slice(skip);
  if (hasBounds && resume === undefined && points.at(-1)?.time !== first)
    values.unshift(await valueAfter(history, first));
  if (hasBounds && last !== undefined && isWhole && points[0]?.time !== last) {
    const { before } = await history({ from: last, to: last, limit: 1 });
    values.push(before ?? { missing: last });
  }
  return parted(values, count, resume);
}

/** The first value from a time on, which is none of that time. */
async function valueAfter(history: HistorySource, time: number): Promise<HistoryPoint | Missing> {
  const { points } = await history({ from: time + 1, to: latest, limit: 1 });
  return points[0] ?? { missing: time };
}

/** As many values as a client gets at a time. Several may have the time at which the rest begins: those that the client has are skipped then. */
function parted(
  values: readonly (HistoryPoint | Missing)[],
  count: number,
  resume: Continuation | undefined,
): RawValues {
  const next = values[count];
  if (next === undefined) return { values, rest: undefined };
  const time = timeOfValue(next);
  const sent = values.slice(0, count);
  const ofTime = sent.filter((value) => timeOfValue(value) === time).length;
  return { values: sent, rest: { time, skip: ofTime + (resume?.time === time ? resume.skip : 0) } };
}

const timeOfValue = (value: HistoryPoint | Missing): number =>
  'missing' in value ? value.missing : value.time;

function valueOf(value: HistoryPoint | Missing, type: TagVariable['type']): DataValue {
  if ('missing' in value) return historyValue(value.missing, undefined, type, StatusCodes.BadBoundNotFound);
  const { time, value: number, error, quality } = value;
  if (error !== 0) return historyValue(time, undefined, type, statusOfPoint(error));
  return historyValue(time, number, type, statusOfFlags(quality));
}

function timeOf(time: Date | null): number | undefined {
  const ms = time?.getTime() ?? NaN;
  return ms > earliest ? ms : undefined;
}
