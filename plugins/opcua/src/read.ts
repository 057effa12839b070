import type { Context, Point, Values } from '@tagway/sdk';
import { ReadRequest, type ReadResponse, TimestampsToReturn } from 'node-opcua-client';
import { decode } from './decode.ts';
import { disconnected, malformed, readFault } from './faults.ts';
import { isDivisible, refusedWith } from './link/refusal.ts';
import type { Session } from './link/session.ts';
import type { Sizes } from './link/sizes.ts';
import type { ReadPlan } from './plan.ts';
import type { Settings } from './settings.ts';

/** Points that one request asks for, as places in the order of the plan. */
type Piece = readonly [from: number, to: number];

/**
 * Reads all points of a plan, in as many requests as the server's limit makes necessary. The server's status of a single
 * node is the outcome of that point. When an answer is too large or cannot be decoded the request is halved, until the node to blame
 * is alone and carries a fault of its own; the whole is tried again later. `waits` is called before a pause, with which the session is
 * spared. Rejects with DISCONNECTED or NO_RESPONSE; what was read by then stays.
 */
export async function readAll(
  plan: ReadPlan,
  session: Session,
  into: Values,
  context: Pick<Context<Settings>, 'rtt'>,
  signal: AbortSignal,
  waits?: () => void,
): Promise<void> {
  const { order, ordered } = plan;
  const { sizes } = session;
  let isTrial = plan.lesson?.isOver ?? false;
  let repeated = -1;
  const open = piecesOf(plan, [0, order.length], session, isTrial);
  // What may cost the session comes last, and before that what may bring more.
  if (sizes.hasBlamed || plan.search) {
    const risk = (piece: Piece): number =>
      isRisky(plan, piece, sizes) ? piece[0] - piece[1] : -order.length - 1;
    open.sort((one, other) => risk(one) - risk(other));
  }
  for (let piece = open.shift(); piece !== undefined; piece = open.shift()) {
    const [from, to] = piece;
    const first = order[from] ?? 0;
    const address = addressAt(plan, from);
    const known = sizes.faultOf(address);
    if (known) {
      into.fault(first, known);
      continue;
    }
    if (isRisky(plan, piece, sizes)) {
      waits?.();
      await session.mature(signal);
    }
    const begin = performance.now();
    try {
      const request = new ReadRequest({ maxAge: 0, timestampsToReturn: TimestampsToReturn.Source });
      // Given to the constructor, each of them would be copied.
      request.nodesToRead = ordered.slice(from, to);
      const { results } = await session.ask<ReadResponse>(request, signal);
      context.rtt(performance.now() - begin);
      take(plan, from, to, results, into);
      if (to - from === 1) sizes.unblame(address);
      plan.search?.passed.set(from, to);
    } catch (error) {
      const status = refusedWith(error);
      if (!isDivisible(error)) {
        if (status === undefined) throw error;
        for (let at = from; at < to; at++) into.fault(order[at] ?? 0, readFault(status));
      } else if (to - from > 1) {
        if (isTrial) plan.lesson?.prove();
        else halve(plan, piece, sizes);
        isTrial = false;
        open.unshift(...piecesOf(plan, piece, session, false));
      } else if (status === undefined && repeated !== from) {
        // Bytes may have been spoilt on their way.
        repeated = from;
        open.unshift(piece);
      } else {
        const fault = sizes.blame(address, status, session.isLost);
        if (fault === undefined) throw disconnected;
        if (plan.search) plan.search.isForOne = true;
        into.fault(first, fault);
      }
    }
  }
  if (isTrial) {
    plan.cuts.length = 0;
    plan.lesson = undefined;
  }
  const { search } = plan;
  plan.search = undefined;
  if (search?.isForOne === false)
    sizes.learn('read', Math.max(1, ...Array.from(search.passed, ([from, to]) => to - from)));
}

/** The requests for these points: they end at the limit, at cuts unless these are tried again, and around nodes that were too large before. */
function piecesOf(plan: ReadPlan, [begin, end]: Piece, session: Session, isTrial: boolean): Piece[] {
  const { cuts } = plan;
  const { sizes } = session;
  const most = session.most('read');
  const pieces: Piece[] = [];
  for (let from = begin; from < end;) {
    let to = Math.min(end, from + most);
    if (!isTrial) for (const cut of cuts) if (cut > from && cut < to) to = cut;
    if (sizes.hasBlamed)
      for (let index = to - 1; index >= from; index--)
        if (sizes.isBlamed(addressAt(plan, index))) to = Math.max(index, from + 1);
    pieces.push([from, to]);
    from = to;
  }
  return pieces;
}

/** Whether a request has not shown yet that its answer is not too large. */
function isRisky(plan: ReadPlan, [from, to]: Piece, sizes: Sizes): boolean {
  if (plan.search !== undefined) return plan.search.passed.get(from) !== to;
  return to - from === 1 && sizes.isBlamed(addressAt(plan, from));
}

function addressAt({ order, points }: ReadPlan, at: number): string {
  return points[order[at] ?? 0]?.address ?? '';
}

function halve(plan: ReadPlan, [from, to]: Piece, sizes: Sizes): void {
  const isMixed = from < plan.texts && plan.texts < to;
  plan.cuts.push(isMixed ? plan.texts : Math.ceil((from + to) / 2));
  plan.lesson ??= sizes.lesson();
  plan.search ??= { passed: new Map(), isForOne: false };
}

function take(
  { points, isElement, order }: ReadPlan,
  from: number,
  to: number,
  results: ReadResponse['results'],
  into: Values,
): void {
  const isComplete = results?.length === to - from;
  for (let at = from; at < to; at++) {
    const index = order[at] as number;
    const result = isComplete ? results[at - from] : undefined;
    if (result) decode(into, index, (points[index] as Point).type, isElement[index] === 1, result);
    else into.fault(index, malformed);
  }
}
