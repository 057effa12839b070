import type { Context } from '@tagway/sdk';
import { AttributeIds, ReadRequest, type ReadResponse, TimestampsToReturn } from 'node-opcua-client';
import type { Settings } from '../settings.ts';

/**
 * How many operations one request may have. A session has its own, from the server's limits; they shrink when the server
 * says that a request was too large.
 */
export interface Limits {
  read: number;
  write: number;
  browse: number;
  monitor: number;
}

/** However many a server allows, a request has no more than this. */
const most = 1000;

/** A difference of clocks from which on certificates and timestamps may be refused, in milliseconds. */
const skew = 60_000;

/** What asking for the limits needs of a session. */
interface Asked {
  send(request: ReadRequest): Promise<ReadResponse>;
}

/** Nodes of namespace 0: the operation limits of OPC 10000-5, 6.3.11, and Server_ServerStatus_CurrentTime. */
const nodes = { read: 11705, write: 11707, browse: 11710, monitor: 11714, time: 2258 };

/** Asks the server for its limits, and for its time to compare clocks. */
export async function readLimits(session: Asked, context: Context<Settings>): Promise<Limits> {
  const request = new ReadRequest({
    maxAge: 0,
    timestampsToReturn: TimestampsToReturn.Neither,
    nodesToRead: Object.values(nodes).map((id) => ({ nodeId: `i=${id}`, attributeId: AttributeIds.Value })),
  });
  const begin = performance.now();
  const { results } = await session.send(request);
  context.rtt(performance.now() - begin);
  const values = (results ?? []).map(({ value }): unknown => value?.value);
  const [read, write, browse, monitor, time] = values;
  const difference = time instanceof Date ? time.getTime() - context.clock.now() : 0;
  if (Math.abs(difference) > skew) {
    context.log.warn(
      `The clock of the OPC UA server is ${Math.round(Math.abs(difference) / 1000)} s ${difference > 0 ? 'ahead of' : 'behind'} that of this gateway. ` +
        'Secured connections may be refused because of it; set the clock that is wrong.',
    );
  }
  return { read: limit(read), write: limit(write), browse: limit(browse), monitor: limit(monitor) };
}

/** 0 and an absent value mean that the server sets no limit. */
function limit(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, most) : most;
}
