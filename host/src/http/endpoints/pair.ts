import type { PairStatus as ShownPair, PairSwitchReply } from '@tagway/schemas';
import { ErrorCode } from '@tagway/schemas';
import type { Pair } from '../../core/ports/pair.ts';
import { whoOf } from '../request.ts';
import { withBody, type Endpoints } from '../route.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** The call by which the active gateway of a pair hands the plant over. */
export function pairEndpoints(pair: Pair | undefined): Endpoints {
  return {
    'POST /api/v2/pair/switch': withBody(
      'PairSwitchBody',
      {
        role: 'admin',
        summary: 'Hands the plant over to the other gateway of the pair.',
        audit: ({ reason = '' }) =>
          `handed the plant over to the other gateway of the pair${reason === '' ? '' : `: ${reason}`}`,
        reply: 'PairSwitchReply',
        errors: ['COMMAND_FAILED'],
        statuses: { COMMAND_FAILED: 409 },
      },
      async ({ reason = '' }, ctx): Promise<PairSwitchReply> => {
        if (pair === undefined)
          throw new Refusal(
            ErrorCode.COMMAND_FAILED,
            sentence`This gateway belongs to no pair: it was started without --pair.`,
          );
        const asked = `It was asked to hand over by ${whoOf(ctx)}`;
        const { name, url } = await pair.handOver(reason === '' ? `${asked}.` : `${asked}: ${reason}`);
        return { error: ErrorCode.SUCCESS, to: name, url };
      },
    ),
  };
}

/** A pair as `GET /api/v2/status` shows it. */
export function shownPair(pair: Pair): ShownPair {
  const { id, role, name, url, holder, leaseAge, lag, reachable, problem, handingOver, lastSwitch, members } =
    pair.status();
  return {
    id,
    role,
    name,
    url,
    holder: holder?.name ?? null,
    holder_url: holder?.url ?? null,
    lease_age_ms: leaseAge === undefined ? null : Math.round(leaseAge),
    replication_lag: lag === undefined ? null : { entries: lag.entries, ms: Math.round(lag.ms) },
    reachable,
    etcd_problem: problem ?? null,
    handing_over: handingOver,
    last_switch: lastSwitch ?? null,
    members: members.map(({ name, url, ready, version }) => ({ name, url, ready, version })),
  };
}
