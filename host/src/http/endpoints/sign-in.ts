import type { Gateway } from '../../core/gateway.ts';
import type { Params } from '../../core/model.ts';
import type { Tokens } from '../auth/tokens.ts';
import { askingOf, sourceOf } from '../request.ts';
import { bare, withBody, type Endpoints } from '../route.ts';

/** Users that are kept elsewhere: in a directory or at a provider of OpenID Connect. */
export function signInEndpoints({ signIn }: Gateway, tokens: Tokens): Endpoints {
  const providers = ['PROVIDER_UNREACHABLE', 'PROVIDER_REPLY_INVALID', 'SIGN_IN_REFUSED'] as const;
  return {
    'GET /api/v2/sign-in': bare(
      {
        open: true,
        summary: 'Says in which ways a user signs in beside those of the gateway itself.',
        reply: 'SignInReply',
        onStandby: 'answers',
      },
      () => signIn.offered(),
    ),

    'POST /api/v2/sign-in/begin': withBody(
      'BeginSignInBody',
      {
        open: true,
        summary: 'Begins a sign-in at the provider of OpenID Connect: says where the browser goes.',
        audit: 'nothing',
        reply: 'BeginSignInReply',
        errors: providers,
        onStandby: 'answers',
      },
      ({ page }) => signIn.begin(page),
    ),

    'POST /api/v2/sign-in/finish': withBody(
      'FinishSignInBody',
      {
        open: true,
        summary: 'Ends a sign-in with what the provider has sent the browser back with, and gives a token.',
        audit: () => 'signed in with the provider',
        isLogged: false,
        reply: 'FinishSignInReply',
        errors: ['USER_NOT_PERMITTED', 'TOKEN_UNDECODABLE', 'TOKEN_EXPIRED', 'TOKEN_NOT_VALID', ...providers],
        onStandby: 'answers',
      },
      async ({ ticket, answer }, ctx) => {
        const user = await signIn.finish(ticket, answer, sourceOf(ctx));
        ctx.state.hasPassword = true;
        const { name, logout } = user;
        return { token: tokens.issueFor(user), user: name, ...(logout !== undefined && { logout }) };
      },
    ),

    'GET /api/v2/sign-in/settings': bare(
      {
        role: 'admin',
        summary: 'Shows where users are kept beside the gateway, with masks for secrets.',
        reply: 'SignInSettings',
      },
      () => signIn.settings.shown(),
    ),

    'PUT /api/v2/sign-in/settings': withBody(
      'SignInSettings',
      {
        role: 'admin',
        summary:
          'Sets where users are kept beside the gateway, and ends the sessions of those users where that changes. A secret that is the mask keeps the one that is stored for the same address.',
        audit: ({ ldap, oidc }) =>
          `set the sign-in: ${[ldap && `the directory ${ldap.url}`, oidc && `the provider ${oidc.issuer}`].filter((part) => part !== undefined).join(' and ') || 'the users of the gateway alone'}`,
        settings: () => ({ values: signIn.settings.shown() as Params }),
        errors: ['PARAM_INVALID'],
      },
      async (body, ctx) => {
        await signIn.settings.set(askingOf(ctx), body);
      },
    ),

    'POST /api/v2/sign-in/test': withBody(
      'TestSignInBody',
      {
        role: 'admin',
        summary: 'Tries settings of the sign-in without storing them.',
        audit: 'nothing',
        reply: 'TestSignInReply',
        errors: ['PARAM_INVALID', 'CREDENTIALS_INVALID', ...providers],
        onStandby: 'answers',
      },
      (body, ctx) => signIn.test(askingOf(ctx), body, sourceOf(ctx)),
    ),
  };
}
