/** A request at the field device: when it came, and of whom. */
export interface Poll {
  /** Milliseconds. */
  readonly at: number;
  readonly from: string;
  /** The connection that it came on, where that is known: a gateway that begins again has another one. */
  readonly connection?: number;
}

/** A time in which one gateway polled, on one connection. */
export interface Tenure {
  readonly from: string;
  readonly connection: number | undefined;
  /** Of its first request. */
  readonly begin: number;
  /** Of its last request. */
  readonly end: number;
  readonly count: number;
}

/** Two gateways polled at the same time. */
export interface Overlap {
  /** Whose tenure ended first. */
  readonly late: string;
  /** How many requests it sent after the other one had begun. */
  readonly requests: number;
  /** Milliseconds from the other one's first request to its last one. */
  readonly lasted: number;
}

/** One gateway took over from another. */
export interface Handover {
  readonly from: string;
  readonly to: string;
  /** Milliseconds from the last request of the one to the first of the other; below 0: they overlapped. */
  readonly gap: number;
  /** Of the first request of the new one. */
  readonly at: number;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Milliseconds after which a gateway that polls again, on the same connection, begins a new tenure: more than any of its groups waits between two readings. */
const silence = 2000;

/** The tenures in a log, in the order of their beginning. */
export function tenuresOf(polls: readonly Poll[]): Tenure[] {
  const open = new Map<string, Writable<Tenure>>();
  const tenures: Tenure[] = [];
  for (const { at, from, connection } of polls) {
    const key = `${from} ${connection}`;
    const tenure = open.get(key);
    if (tenure !== undefined && at - tenure.end <= silence) {
      tenure.end = at;
      tenure.count += 1;
      continue;
    }
    const begun = { from, connection, begin: at, end: at, count: 1 };
    open.set(key, begun);
    tenures.push(begun);
  }
  return tenures;
}

/** Where one gateway sent a request within a tenure of another one. */
export function overlapsOf(polls: readonly Poll[]): Overlap[] {
  const tenures = tenuresOf(polls);
  const overlaps: Overlap[] = [];
  for (const [index, one] of tenures.entries()) {
    for (const other of tenures.slice(index + 1)) {
      if (other.from === one.from || other.begin > one.end) continue;
      const [first, last] = one.end <= other.end ? [one, other] : [other, one];
      const begin = Math.max(first.begin, last.begin);
      const late = polls.filter(
        ({ from, connection, at }) =>
          from === first.from && connection === first.connection && at >= begin && at <= first.end,
      );
      overlaps.push({ late: first.from, requests: late.length, lasted: first.end - begin });
    }
  }
  return overlaps;
}

/** How many requests came while another gateway polled already. */
export function overlappingIn(polls: readonly Poll[]): number {
  return overlapsOf(polls).reduce((sum, { requests }) => sum + requests, 0);
}

/** Where polling passed from one gateway to another; a request or two within a tenure of another one is an overlap, and no hand-over. */
export function handoversOf(polls: readonly Poll[]): Handover[] {
  const handovers: Handover[] = [];
  let current: Tenure | undefined;
  for (const tenure of tenuresOf(polls)) {
    if (current !== undefined && tenure.end <= current.end) continue;
    if (current !== undefined && tenure.from !== current.from)
      handovers.push({
        from: current.from,
        to: tenure.from,
        gap: tenure.begin - current.end,
        at: tenure.begin,
      });
    current = tenure;
  }
  return handovers;
}

/** The longest time in milliseconds from one request to the next, of any gateway, between `begin` and `end`. */
export function longestPause(polls: readonly Poll[], begin: number, end: number): number {
  const times = polls.map(({ at }) => at).filter((at) => at >= begin && at <= end);
  return [...times, end].reduce(
    ({ longest, last }, at) => ({ longest: Math.max(longest, at - last), last: at }),
    { longest: 0, last: begin },
  ).longest;
}
