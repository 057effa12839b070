import type { Context, Point, Values } from '@tagway/sdk';
import {
  AttributeIds,
  ReadRequest,
  type ReadResponse,
  ReadValueId,
  TimestampsToReturn,
} from 'node-opcua-client';
import { parseAddress } from './address.ts';
import { malformed, readFault } from './faults.ts';
import { isDivisible, refusedWith } from './link/refusal.ts';
import type { Session } from './link/session.ts';
import type { Settings } from './settings.ts';
import { decode } from './value.ts';

/** The points of one group, ready to be asked for. */
export interface Plan {
  readonly points: readonly Point[];
  readonly items: readonly ReadValueId[];
  /** 1 where the address has an index. */
  readonly isElement: Uint8Array;
  /** Where a request ends although there is room: the answer for what is on both sides was too large. */
  readonly cuts: number[];
  /** The smallest number of points for which an answer was too large, since that was last made use of; 0 for none. */
  tooMany: number;
}

/** `points` have passed the check of their addresses. */
export function compilePlan(points: readonly Point[]): Plan {
  const addresses = points.map(({ address }) => parseAddress(address));
  return {
    points,
    items: addresses.map(
      (address) =>
        new ReadValueId({
          attributeId: AttributeIds.Value,
          ...(address && { nodeId: address.nodeId }),
          // The library takes the text of a range where its types ask for the parsed one.
          ...(address?.indexRange && { indexRange: address.indexRange as never }),
        }),
    ),
    isElement: Uint8Array.from(addresses, (address) => (address?.indexRange ? 1 : 0)),
    cuts: [],
    tooMany: 0,
  };
}

/**
 * Reads all points of a plan, in as many requests as the server's limit makes necessary. What the server says of a single
 * node is the outcome of that point. When an answer is too large or cannot be decoded the request is halved, and stays so, until
 * the node to blame is alone and carries a fault of its own. Rejects with DISCONNECTED or NO_RESPONSE; what was read by then stays.
 */
export async function readAll(
  plan: Plan,
  session: Session,
  into: Values,
  context: Pick<Context<Settings>, 'rtt'>,
  signal: AbortSignal,
): Promise<void> {
  const { points, items } = plan;
  const { limits, sizes } = session;
  let repeated = -1;
  for (let from = 0; from < items.length;) {
    const { address } = points[from] as Point;
    const known = sizes.faultOf(address);
    if (known) {
      into.fault(from++, known);
      continue;
    }
    const to = endOf(plan, from, session);
    const begin = performance.now();
    try {
      const request = new ReadRequest({ maxAge: 0, timestampsToReturn: TimestampsToReturn.Source });
      // Given to the constructor, each of them would be copied.
      request.nodesToRead = items.slice(from, to);
      const { results } = await session.ask<ReadResponse>(request, signal);
      context.rtt(performance.now() - begin);
      take(plan, from, to, results, into);
      if (to - from === 1) sizes.acquit(address);
    } catch (error) {
      const status = refusedWith(error);
      if (isDivisible(error)) {
        if (to - from > 1) {
          halve(plan, from, to);
          continue;
        }
        if (status === undefined && repeated !== from) {
          // Bytes may have been spoilt on their way.
          repeated = from;
          continue;
        }
        plan.tooMany = 0;
        into.fault(from, sizes.blame(address, status));
      } else if (status === undefined) throw error;
      else for (let index = from; index < to; index++) into.fault(index, readFault(status));
    }
    from = to;
  }
  if (plan.tooMany > 0) sizes.learn(limits, 'read', Math.ceil(plan.tooMany / 2));
  plan.tooMany = 0;
}

/** Where a request ends that begins here: at the limit, at a cut, or around a node that was too large before. */
function endOf({ points, cuts }: Plan, from: number, { limits, sizes }: Session): number {
  let end = Math.min(points.length, from + limits.read);
  for (const cut of cuts) if (cut > from && cut < end) end = cut;
  if (!sizes.hasBlamed) return end;
  for (let index = from; index < end; index++)
    if (sizes.isBlamed((points[index] as Point).address)) return Math.max(index, from + 1);
  return end;
}

function halve(plan: Plan, from: number, to: number): void {
  plan.cuts.push(Math.ceil((from + to) / 2));
  plan.tooMany = to - from;
}

function take(
  { points, isElement }: Plan,
  from: number,
  to: number,
  results: ReadResponse['results'],
  into: Values,
): void {
  const isComplete = results?.length === to - from;
  for (let index = from; index < to; index++) {
    const result = isComplete ? results[index - from] : undefined;
    if (result) decode(into, index, (points[index] as Point).type, isElement[index] === 1, result);
    else into.fault(index, malformed);
  }
}
