import { ErrorCode } from '@tagway/schemas';
import type { HistoryBucket, HistoryPoint } from '@tagway/sdk';
import type { BoundedRange } from '../core/ports/history.ts';
import { Pacer } from '../core/system/pacer.ts';
import type { Points } from './points.ts';
import { placeOf, visibleOf, type Piece, type Visible } from './range.ts';

/** Pieces before a range that are looked at for the latest value. */
const mostBefore = 10;

interface Found {
  readonly before: HistoryPoint | undefined;
  readonly points: readonly HistoryPoint[];
  readonly buckets: readonly HistoryBucket[];
  readonly next: number | undefined;
}

/** Reads a range of these pieces. */
export async function query(pieces: readonly Piece[], range: BoundedRange): Promise<Found> {
  const { from, to, step } = range;
  const visible = visibleOf(pieces);
  const before = await latestBefore(visible, from);
  const collected = step === undefined ? new PointList(range.limit) : new BucketList(from, to, step);
  const pace = new Pacer();
  for (const [index, part] of visible.entries()) {
    if (part.from > to || collected.isFull) break;
    const gap = gapBefore(visible, index);
    if (gap !== undefined && gap >= from && gap <= to) collected.add(gap, 0, ErrorCode.HISTORY_GAP, 0);
    if (part.to < from) continue;
    if (pace.isDue) await pace.rest();
    const points = await part.piece.load();
    if (points === undefined) continue;
    const { times } = points;
    const end = Math.min(to, part.to);
    for (let at = placeOf(times, Math.max(from, part.from)); at < times.length && times[at]! <= end; at++)
      collected.add(times[at]!, valueAt(points, at), errorAt(points, at), points.qualities?.[at] ?? 0);
  }
  return { before, ...collected.end() };
}

/** When a gap before a part begins, if there is one. */
function gapBefore(visible: readonly Visible[], index: number): number | undefined {
  const before = visible[index - 1];
  const part = visible[index];
  if (before === undefined || part === undefined) return undefined;
  if (!part.piece.isAfterGap || part.from !== part.piece.first) return undefined;
  return Math.min(before.to + 1, part.from);
}

async function latestBefore(visible: readonly Visible[], from: number): Promise<HistoryPoint | undefined> {
  const end = visible.findLastIndex((part) => part.from < from);
  for (let index = end; index >= 0 && index > end - mostBefore; index--) {
    const gap = gapBefore(visible, index + 1);
    if (gap !== undefined && gap < from) return pointOf(gap, 0, ErrorCode.HISTORY_GAP, 0);
    const part = visible[index]!;
    const points = await part.piece.load();
    if (points === undefined) continue;
    const { times } = points;
    let at = placeOf(times, from) - 1;
    while (at >= 0 && times[at]! > part.to) at--;
    if (at >= 0 && times[at]! >= part.from)
      return pointOf(times[at]!, valueAt(points, at), errorAt(points, at), points.qualities?.[at] ?? 0);
  }
  return undefined;
}

const valueAt = ({ values, integers }: Points, at: number): number | bigint => integers?.[at] ?? values[at]!;

/** What is no number has the error that it has everywhere. */
function errorAt({ values, errors }: Points, at: number): number {
  const error = errors?.[at] ?? ErrorCode.SUCCESS;
  return error === 0 && !Number.isFinite(values[at]) ? ErrorCode.VALUE_EXPIRED : error;
}

const pointOf = (time: number, value: number | bigint, error: number, quality: number): HistoryPoint => ({
  time,
  value: error === 0 ? value : undefined,
  error,
  quality,
});

class PointList {
  readonly #points: HistoryPoint[] = [];
  readonly #limit: number;
  #next: number | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#next !== undefined;
  }

  add(time: number, value: number | bigint, error: number, quality: number): void {
    if (this.isFull) return;
    // Values of one time are not parted: a client that asks from the next one on would get some twice.
    if (this.#points.length >= this.#limit && time > this.#points.at(-1)!.time) this.#next = time;
    else this.#points.push(pointOf(time, value, error, quality));
  }

  end(): Omit<Found, 'before'> {
    return { points: this.#points, buckets: [], next: this.#next };
  }
}

class BucketList {
  readonly #from: number;
  readonly #step: number;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  readonly #count: Uint32Array;
  readonly #errors: Int32Array;
  readonly #qualities: Uint32Array;
  readonly isFull = false;

  constructor(from: number, to: number, step: number) {
    const count = Math.max(1, Math.ceil((to - from) / step));
    this.#from = from;
    this.#step = step;
    this.#min = new Float64Array(count).fill(Infinity);
    this.#max = new Float64Array(count).fill(-Infinity);
    this.#sum = new Float64Array(count);
    this.#count = new Uint32Array(count);
    this.#errors = new Int32Array(count);
    this.#qualities = new Uint32Array(count);
  }

  add(time: number, value: number | bigint, error: number, quality: number): void {
    const bucket = Math.min(Math.floor((time - this.#from) / this.#step), this.#count.length - 1);
    if (error !== 0) {
      this.#errors[bucket] = error;
      return;
    }
    const number = Number(value);
    if (number < this.#min[bucket]!) this.#min[bucket] = number;
    if (number > this.#max[bucket]!) this.#max[bucket] = number;
    this.#sum[bucket]! += number;
    this.#count[bucket]!++;
    this.#qualities[bucket]! |= quality;
  }

  end(): Omit<Found, 'before'> {
    const buckets = Array.from(this.#count, (count, at): HistoryBucket => {
      const has = count > 0;
      return {
        time: this.#from + at * this.#step,
        min: has ? this.#min[at]! : undefined,
        max: has ? this.#max[at]! : undefined,
        mean: has ? this.#sum[at]! / count : undefined,
        count,
        error: this.#errors[at]!,
        quality: this.#qualities[at]!,
      };
    });
    return { points: [], buckets, next: undefined };
  }
}
