import type { Gateway } from '../../core/gateway.ts';
import type { Pair } from '../../core/ports/pair.ts';
import { checkRole, type Caller } from '../auth/caller.ts';
import { callerOf, type Context } from '../request.ts';
import { Content, withBody, type Endpoints } from '../route.ts';
import { Viewers } from './viewers.ts';

const type = 'text/event-stream';

/** Proxies are asked not to hold the stream back until it is long enough for them. */
const headers = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/** The role that a viewer of live values needs. */
const role = 'viewer';

/** What streams need. */
export interface LiveSource {
  readonly gateway: Gateway;
  readonly pair: Pair | undefined;
  /** Who a request is from; rejects when its token is not good any more. */
  readonly callerNow: (ctx: Context) => Promise<Caller>;
  readonly ending: AbortSignal | undefined;
}

/**
 * States and values as they change, for pages. They stand beside the API, because its specification has no such channel. A standby
 * streams states, and for each group an event with STANDBY instead of values.
 */
export function liveEndpoints({ gateway, pair, callerNow, ending }: LiveSource): Endpoints {
  const viewers = new Viewers({ gateway, pair, ending });
  return {
    'POST /live/events': withBody(
      'LiveBody',
      {
        role,
        summary: 'Streams states of nodes and values of groups as they change, as server-sent events.',
        audit: 'nothing',
        reply: { type },
        onStandby: 'answers',
      },
      ({ states = false, values = [] }, ctx) => {
        const check = async (): Promise<void> =>
          checkRole(await callerNow(ctx), role, 'A stream of live values');
        const source = { owner: nameOf(ctx), wantsStates: states, reply: ctx.res, check };
        const viewer = viewers.open(source, values);
        // A reply whose client has gone is not read to its end.
        ctx.res.on('close', () => viewer.destroy());
        return new Content(type, viewer, headers);
      },
    ),

    'PUT /live/events': withBody(
      'LiveChangeBody',
      {
        role,
        summary: 'Changes what values a stream carries.',
        audit: 'nothing',
        errors: ['PARAM_INVALID'],
        onStandby: 'answers',
      },
      ({ stream, values }, ctx) => {
        viewers.want(stream, nameOf(ctx), values);
        return undefined;
      },
    ),
  };
}

/** A stream can be changed only by the caller who has opened it. */
function nameOf(ctx: Context): string {
  const { kind, name } = callerOf(ctx);
  return `${kind} ${name}`;
}
