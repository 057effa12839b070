import type { Fault, Pick } from './faults.ts';
import { judge, limits, type Verdict } from './judge.ts';
import type { Pair } from './pair.ts';
import { now } from './referee.ts';

/** What came of one fault. */
export interface FaultRow extends Verdict {
  readonly fault: Fault;
  readonly hasGate: boolean;
  /** See `PairOptions`. */
  readonly patience: number;
  /** Who was active before. */
  readonly active: string;
  /** Milliseconds from the fault to the last request, of faults that lose the majority of etcd's members. */
  readonly polledFor: number | undefined;
  /** Milliseconds from the return of that majority to the next request. */
  readonly backAfter: number | undefined;
  /** Why the pair was not whole again in time. */
  readonly stuck: string | undefined;
}

/** Milliseconds of the log before a fault that belong to it: more than the silence after which a gateway begins anew. */
const before = 2500;

/** Milliseconds from the return of the majority of etcd's members in which everything is asked again. */
const backWithin = 2000;

/** Milliseconds within which a pair is whole again after a fault was undone. */
const recovery = 90_000;

/** One fault, and the recovery from it. */
export async function tryFault(pair: Pair, fault: Fault, pick: Pick, hasGate: boolean): Promise<FaultRow> {
  const roles = await pair.settled();
  const begin = now();
  let stuck: string | undefined;
  let undone = begin;
  let returned: number | undefined;
  try {
    await fault.act({ ...roles, pair, pick });
    undone = now();
    if (fault.losesMajority === true) {
      await pair.members.whole();
      returned = now();
    }
    await pair.settled(recovery);
  } catch (error) {
    stuck = error instanceof Error ? error.message : String(error);
  }
  const end = now();
  const polls = await pair.referee.since(begin - before);
  const next = polls.find(({ at }) => at > undone)?.at ?? end;
  const last = polls.findLast(({ at }) => at <= undone)?.at ?? begin;
  return {
    fault,
    hasGate,
    stuck,
    active: roles.active.side,
    patience: pair.patience,
    ...judge(polls, begin, end),
    polledFor: fault.losesMajority === true ? last - begin : undefined,
    backAfter: returned === undefined ? undefined : Math.max(0, next - returned),
  };
}

/** All kinds once in an order that the seed gives, then again, and so on, without an end. */
export function* shuffled(kinds: readonly Fault[], pick: Pick): Generator<Fault> {
  for (;;) {
    const deck = [...kinds];
    while (deck.length > 0) yield deck.splice(pick(deck.length), 1)[0] as Fault;
  }
}

/** What a row says, in one line. */
export function lineOf(row: FaultRow): string {
  const { fault, active, gap, overlapping, switches, polledFor, backAfter, stuck } = row;
  const stopped =
    (polledFor === undefined ? '' : `, polled for ${polledFor.toFixed(0)} ms`) +
    (backAfter === undefined ? '' : `, again ${backAfter.toFixed(0)} ms after the return`);
  const switched = switches === 0 ? 'no switch' : switches === 1 ? 'switch' : `${switches} switches`;
  const broken = stuck === undefined ? '' : `; STUCK: ${stuck}`;
  return (
    `${fault.kind}: ${active} was active, gap ${gap.toFixed(0)} ms${stopped}, ` +
    `${overlapping} overlapping, ${switched}${broken}`
  );
}

/** What a fault broke of what is promised of each single one. */
export function brokenBy(row: FaultRow, stopsWithin: number): string[] {
  const { fault, gap, switches, overlapping, hasGate, polledFor, backAfter, stuck, patience } = row;
  const limit: { readonly most?: number; readonly switches?: boolean } = limits[fault.limit];
  const broken: string[] = [];
  if (stuck !== undefined) broken.push('the pair was not whole again in time');
  if (limit.most !== undefined && gap > limit.most * patience)
    broken.push(`${gap.toFixed(0)} ms without a request`);
  if (limit.switches !== undefined && limit.switches !== switches > 0)
    broken.push(limit.switches ? 'no other gateway took over' : 'another gateway took over');
  if ((hasGate || fault.isFencedAlone === true) && overlapping > 0)
    broken.push(`${overlapping} requests of two gateways at the same time`);
  if (polledFor !== undefined && polledFor > stopsWithin)
    broken.push(`polling went on for ${polledFor.toFixed(0)} ms without a majority`);
  if (backAfter !== undefined && backAfter > backWithin * patience)
    broken.push(`nobody polled until ${backAfter.toFixed(0)} ms after the return of the majority`);
  return broken.map((what) => `${fault.kind}: ${what}`);
}
