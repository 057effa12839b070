import type { Context, Fault, Outcome, Point } from '@tagway/sdk';
import {
  AttributeIds,
  ReadRequest,
  type ReadResponse,
  ReadValueId,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import { parseAddress } from './address.ts';
import { malformed, notReady, readFault } from './faults.ts';
import { refusedWith, type Session } from './link/session.ts';
import type { Settings } from './settings.ts';
import { decode } from './value.ts';

/** Statuses of a whole request that a smaller one may not meet. */
const tooLarge = new Set(
  [
    StatusCodes.BadTooManyOperations,
    StatusCodes.BadRequestTooLarge,
    StatusCodes.BadResponseTooLarge,
    StatusCodes.BadEncodingLimitsExceeded,
    StatusCodes.BadTcpMessageTooLarge,
  ].map(({ value }) => value),
);

/** Whether a request failed because it asked for too much at once. */
export function isTooLarge(error: unknown): boolean {
  const status = refusedWith(error);
  return status !== undefined && tooLarge.has(status.value);
}

/** The points of one group, ready to be asked for. */
export interface Plan {
  readonly points: readonly Point[];
  readonly items: readonly ReadValueId[];
  /** 1 where the address has an index. */
  readonly isElement: Uint8Array;
  /** Handed out again after every read. */
  readonly outcomes: Outcome[];
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
    outcomes: new Array<Outcome>(points.length).fill(notReady),
  };
}

/**
 * Reads all points of a plan, in as many requests as the server's limit makes necessary. What the server says of a single
 * node is the outcome of that point. Rejects with DISCONNECTED or NO_RESPONSE.
 */
export async function readAll(
  plan: Plan,
  session: Session,
  context: Pick<Context<Settings>, 'rtt'>,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const { items, outcomes } = plan;
  const { limits } = session;
  for (let from = 0; from < items.length;) {
    const to = Math.min(items.length, from + limits.read);
    const begin = performance.now();
    try {
      const request = new ReadRequest({ maxAge: 0, timestampsToReturn: TimestampsToReturn.Neither });
      // Given to the constructor, each of them would be copied.
      request.nodesToRead = items.slice(from, to);
      const { results } = await session.send<ReadResponse>(request, signal);
      context.rtt(performance.now() - begin);
      take(plan, from, to, results);
    } catch (error) {
      const status = refusedWith(error);
      if (status === undefined) throw error;
      if (isTooLarge(error) && to - from > 1) {
        limits.read = Math.ceil((to - from) / 2);
        continue;
      }
      outcomes.fill(readFault(status), from, to);
    }
    from = to;
  }
  return outcomes;
}

function take(
  { points, isElement, outcomes }: Plan,
  from: number,
  to: number,
  results: ReadResponse['results'],
): void {
  if (results?.length !== to - from) {
    outcomes.fill(malformed satisfies Fault, from, to);
    return;
  }
  for (let index = from; index < to; index++) {
    const point = points[index] as Point;
    const result = results[index - from];
    outcomes[index] = result ? decode(point.type, isElement[index] === 1, result) : malformed;
  }
}
