/** What one process took at one moment. */
export interface Reading {
  /** Hours since the process was first seen. */
  readonly age: number;
  readonly value: number;
}

/** How fast a figure of a kind of process grows with the age of the process. */
export interface Slope {
  /** Per hour. */
  readonly perHour: number;
  /** Hours of the longest life that counted, after its warm-up; 0 when none was long enough. */
  readonly span: number;
  readonly first: number;
  readonly last: number;
}

export interface SlopeOptions {
  /** Hours at the beginning of a life that do not count: code is compiled then and caches are filled. */
  readonly warmUp: number;
  /** Hours of which only the smallest value counts, so that garbage which waits to be collected does not. */
  readonly bucket: number;
}

/** Fewer values than these say nothing of a slope. */
const leastBuckets = 5;

function smallestPerBucket(life: readonly Reading[], { warmUp, bucket }: SlopeOptions): Reading[] {
  const smallest = new Map<number, Reading>();
  for (const reading of life) {
    if (reading.age < warmUp) continue;
    const number = Math.floor((reading.age - warmUp) / bucket);
    const before = smallest.get(number);
    if (before === undefined || reading.value < before.value) smallest.set(number, reading);
  }
  return [...smallest.values()];
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Fits one slope to the lives of processes of one kind, each of which begins at a level of its own: a process that is started again
 * begins anew, which must neither hide growth nor look like it.
 */
export function slopeOf(lives: readonly (readonly Reading[])[], options: SlopeOptions): Slope {
  let products = 0;
  let squares = 0;
  let span = 0;
  let first = 0;
  let last = 0;
  for (const life of lives) {
    const values = smallestPerBucket(life, options);
    if (values.length < leastBuckets) continue;
    const age = mean(values.map((reading) => reading.age));
    const value = mean(values.map((reading) => reading.value));
    for (const reading of values) {
      products += (reading.age - age) * (reading.value - value);
      squares += (reading.age - age) ** 2;
    }
    const oldest = values.at(0) as Reading;
    const newest = values.at(-1) as Reading;
    if (newest.age - oldest.age <= span) continue;
    [span, first, last] = [newest.age - oldest.age, oldest.value, newest.value];
  }
  return { perHour: squares === 0 ? 0 : products / squares, span, first, last };
}

/** What growth is borne: a slope, and beside it a growth that is no more than noise in a short run. */
export interface Bound {
  readonly perHour: number;
  readonly least: number;
}

export function isBeyond({ perHour, span }: Slope, bound: Bound): boolean {
  return perHour > bound.perHour && perHour * span > bound.least;
}
