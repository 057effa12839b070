import type { Context } from '@tagway/sdk';
import { AttributeIds, ReadRequest, type ReadResponse, TimestampsToReturn } from 'node-opcua-client';
import type { Settings } from '../settings.ts';
import type { Kind } from './sizes.ts';

/** A difference of clocks from which on certificates and timestamps may be refused, in milliseconds. */
const skew = 60_000;

/** What asking for the limits needs of a session. */
interface Asked {
  send(request: ReadRequest, options: { readonly role: 'probe' }): Promise<ReadResponse>;
}

/** Nodes of namespace 0: the operation limits of OPC 10000-5, 6.3.11, and Server_ServerStatus_CurrentTime. */
const nodes = { read: 11705, write: 11707, browse: 11710, monitor: 11714, time: 2258 };

/** Asks the server for its limits, and for its time to compare clocks. A limit that it does not give is undefined. */
export async function readLimits(session: Asked, context: Context<Settings>): Promise<Record<Kind, unknown>> {
  const request = new ReadRequest({
    maxAge: 0,
    timestampsToReturn: TimestampsToReturn.Neither,
    nodesToRead: Object.values(nodes).map((id) => ({ nodeId: `i=${id}`, attributeId: AttributeIds.Value })),
  });
  const begin = performance.now();
  const { results } = await session.send(request, { role: 'probe' });
  context.rtt(performance.now() - begin);
  const [read, write, browse, monitor, time] = (results ?? []).map(({ value }): unknown => value?.value);
  const difference = time instanceof Date ? time.getTime() - context.clock.now() : 0;
  if (Math.abs(difference) > skew) {
    context.log.warn(
      `The clock of the OPC UA server is ${Math.round(Math.abs(difference) / 1000)} s ${difference > 0 ? 'ahead of' : 'behind'} that of this gateway. ` +
        'Secured connections may be refused because of it; set the clock that is wrong.',
    );
  }
  return { read, write, browse, monitor };
}
