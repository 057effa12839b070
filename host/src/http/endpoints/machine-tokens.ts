import type { Gateway } from '../../core/gateway.ts';
import { askingOf } from '../request.ts';
import { bare, withBody, type Endpoints } from '../route.ts';

/** Days after which a token ends, unless the request says otherwise. */
const defaultDays = 365;

/** Tokens for machines. */
export function machineTokenEndpoints({ machineTokens }: Gateway): Endpoints {
  return {
    'GET /api/v2/tokens': bare(
      { role: 'admin', summary: 'Lists the tokens of machines, without the tokens.', reply: 'TokensReply' },
      () => ({
        tokens: machineTokens.list().map(({ lastUsed, ...token }) => ({
          ...token,
          ...(lastUsed !== undefined && { last_used: lastUsed }),
        })),
      }),
    ),

    'POST /api/v2/tokens': withBody(
      'AddTokenBody',
      {
        role: 'admin',
        summary: 'Makes a token for a machine. It is shown once.',
        audit: ({ name, role }) => `made the token "${name}", ${role}`,
        reply: 'AddTokenReply',
        errors: ['USER_EXISTS', 'USER_NOT_PERMITTED'],
      },
      async ({ name, role, days = defaultDays }, ctx) => {
        const { secret, expires } = await machineTokens.add(askingOf(ctx), name, role, days);
        return { token: secret, expires };
      },
    ),

    'DELETE /api/v2/tokens': withBody(
      'DeleteTokenBody',
      {
        role: 'admin',
        summary: 'Revokes the token of a machine at once.',
        audit: ({ name }) => `revoked the token "${name}"`,
        errors: ['USER_NOT_FOUND', 'USER_NOT_PERMITTED'],
      },
      ({ name }, ctx) => machineTokens.delete(askingOf(ctx), name),
    ),
  };
}
