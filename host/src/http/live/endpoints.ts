import type { Gateway } from '../../core/gateway.ts';
import { callerOf } from '../caller.ts';
import { Content, withBody, type Endpoints } from '../route.ts';
import type { Tokens } from '../auth.ts';
import { Viewers } from './viewers.ts';

const type = 'text/event-stream';

/** Proxies are asked not to hold the stream back until it is long enough for them. */
const headers = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/** States and values as they change, for pages. They stand beside the API, because its specification has no such channel. */
export function liveEndpoints(
  gateway: Gateway,
  authenticate: Tokens['authenticate'],
  ending: AbortSignal | undefined,
): Endpoints {
  const viewers = new Viewers(gateway, ending);
  return {
    'POST /live/events': withBody(
      'LiveBody',
      {
        summary: 'Streams states of nodes and values of groups as they change, as server-sent events.',
        reply: { type },
      },
      ({ states = false, values = [] }, ctx) => {
        const viewer = viewers.open(callerOf(ctx), states, values, () => authenticate(ctx));
        // A reply whose client has gone is not read to its end.
        ctx.res.on('close', () => viewer.destroy());
        return new Content(type, viewer, headers);
      },
    ),

    'PUT /live/events': withBody(
      'LiveChangeBody',
      { summary: 'Changes what values a stream carries.', errors: ['PARAM_INVALID'] },
      ({ stream, values }, ctx) => {
        viewers.want(stream, callerOf(ctx), values);
        return undefined;
      },
    ),
  };
}
