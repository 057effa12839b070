import { handoversOf, longestPause, overlappingIn, overlapsOf, type Poll } from './tenures.ts';

/** What a part of the trial found. */
export interface Outcome {
  /** Figures, one sentence or row each. */
  readonly lines: readonly string[];
  /** What was not as it is promised. */
  readonly broken: readonly string[];
}

/** What is promised of a kind of fault. */
export interface Limit {
  /** Milliseconds without a request, half of the times and at most. */
  readonly half?: number;
  readonly most?: number;
  /** Whether the other gateway takes over; undefined: either is right. */
  readonly switches?: boolean;
}

/** From the last request of one gateway to the first of the other, in milliseconds. */
export const limits = {
  /** An operator asks for it. */
  planned: { most: 1000, switches: true },
  /** A gateway is stopped for an upgrade, after it handed over. */
  upgrade: { most: 2000 },
  /** A process of the active gateway ends or hangs. */
  crash: { half: 1500, most: 3000 },
  /** The active gateway is gone, or cut off, and cannot give back the lease. */
  machine: { half: 6500, most: 10_000 },
  /** Nothing that the active gateway needs: polling goes on without a gap. */
  none: { most: 1000, switches: false },
  /** The majority of etcd's members is gone, or the fault itself has no fixed length: no time is promised. */
  any: {},
} as const satisfies Readonly<Record<string, Limit>>;
export type LimitName = keyof typeof limits;

/** Milliseconds in which polling ends when the majority of etcd's members is gone. */
export const stopsWithin = 3500;

/** What the log of the field device says about one fault. */
export interface Verdict {
  /** Milliseconds without a request: from one gateway to the other when there was a switch, the longest pause otherwise. */
  readonly gap: number;
  readonly switches: number;
  /** Requests that came while the other gateway was polling already. */
  readonly overlapping: number;
  /** For how long they came, in milliseconds. */
  readonly overlap: number;
}

/** Judges the requests from before a fault, at `begin`, until all was well again, at `end`. */
export function judge(polls: readonly Poll[], begin: number, end: number): Verdict {
  const handovers = handoversOf(polls).filter(({ at }) => at >= begin && at <= end);
  return {
    gap:
      handovers.length > 0 ? Math.max(...handovers.map(({ gap }) => gap)) : longestPause(polls, begin, end),
    switches: handovers.length,
    overlapping: overlappingIn(polls),
    overlap: Math.max(0, ...overlapsOf(polls).map(({ lasted }) => lasted)),
  };
}

/** Such as `120 ms (p50), 450 ms (longest)`. */
export function middleAndMost(values: readonly number[]): string {
  const longest = values.length === 0 ? NaN : Math.max(...values);
  return `${median(values).toFixed(0)} ms (p50), ${longest.toFixed(0)} ms (longest)`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
}

/** The value that this part of all values, from 0 to 1, does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}
