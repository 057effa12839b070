import type { FleetGateway } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import { forReader } from '../reason.ts';
import { askingOf } from '../request.ts';
import { bare, withBody, type Endpoints } from '../route.ts';

/** Other gateways in one view. */
export function fleetEndpoints({ fleet }: Gateway): Endpoints {
  return {
    'GET /api/v2/fleet': bare(
      {
        role: 'viewer',
        summary:
          'Asks the gateways of the fleet how they are, each at most every few seconds, and does not wait for those that do not answer.',
        reply: 'FleetReply',
      },
      async (ctx) => forReader(ctx, { gateways: await fleet.members() }),
    ),

    'GET /api/v2/fleet/gateways': bare(
      {
        role: 'admin',
        summary: 'Shows the list of the gateways of the fleet, with masks for their tokens.',
        reply: 'FleetGateways',
      },
      () => fleet.settings.shown(),
    ),

    'PUT /api/v2/fleet/gateways': withBody(
      'FleetGateways',
      {
        role: 'admin',
        summary:
          'Sets the list of the gateways of the fleet. A token that is the mask keeps the one that is stored for the same address.',
        audit: ({ gateways }) => `set the gateways of the fleet: ${namesOf(gateways)}`,
        errors: ['PARAM_INVALID'],
      },
      async (body, ctx) => {
        await fleet.settings.set(askingOf(ctx), body);
      },
    ),
  };
}

/** Gateways that an entry of the audit log names. */
const mostNamed = 20;

function namesOf(gateways: readonly FleetGateway[]): string {
  const names = gateways.slice(0, mostNamed).map(({ name }) => `"${name}"`);
  const more = gateways.length - names.length;
  return names.length === 0 ? 'none' : `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
