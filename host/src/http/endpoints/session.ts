import type { Gateway } from '../../core/gateway.ts';
import type { Tokens } from '../auth/tokens.ts';
import { checkFirstLogin } from '../guard/first-login.ts';
import { callerOf, type Context, sourceOf } from '../request.ts';
import { bare, withBody, type Endpoints } from '../route.ts';
import { elsewhere } from '../../core/logins/logins.ts';

/** Section 4.1. With `disableAuth`, a login succeeds whatever its body is, and the token is empty. */
export function sessionEndpoints(
  { users, logins, signIn }: Gateway,
  tokens: Tokens,
  disableAuth: boolean,
): Endpoints {
  const attempt = (name: string, ctx: Context, work: () => Promise<void>): Promise<void> =>
    logins.attempt(name, sourceOf(ctx), work);
  const called = (name: string): string =>
    signIn.hasDirectory && users.roleOf(name) === undefined ? elsewhere : logins.called(name);
  const login = {
    summary: 'Gives a token for a name and a password.',
    reply: 'LoginReply',
    errors: [
      'TOKEN_MISSING',
      'TOKEN_UNDECODABLE',
      'CREDENTIALS_INVALID',
      'USER_NOT_PERMITTED',
      'PROVIDER_UNREACHABLE',
      'PROVIDER_REPLY_INVALID',
      'SIGN_IN_REFUSED',
    ],
    open: true,
    onStandby: 'answers',
  } as const;
  return {
    'POST /api/v2/ping': bare(
      { summary: 'Says that the gateway answers.', reply: 'EmptyReply', open: true, onStandby: 'answers' },
      () => ({}),
    ),

    'POST /api/v2/login': disableAuth
      ? bare(login, () => ({ token: '' }))
      : withBody(
          'LoginBody',
          { ...login, audit: ({ name }) => `logged in as ${called(name)}`, isLogged: false },
          async ({ name, pass }, ctx) => {
            if (signIn.hasDirectory && users.roleOf(name) === undefined) {
              const outside = await signIn.login(name, pass, sourceOf(ctx));
              ctx.state.hasPassword = true;
              return { token: tokens.issueFor(outside) };
            }
            let generation: string | undefined;
            await attempt(name, ctx, async () => {
              generation = await users.login(name, pass);
            });
            checkFirstLogin(users, name, ctx);
            ctx.state.hasPassword = true;
            return { token: tokens.issue(name, generation) };
          },
        ),

    'POST /api/v2/password': withBody(
      'PasswordBody',
      {
        role: 'viewer',
        summary: 'Changes the password of a user and ends its sessions, except for the token that asks.',
        audit: ({ name }) => `changed the password of ${called(name)}`,
        errors: ['CREDENTIALS_INVALID', 'PASSWORD_LENGTH', 'PASSWORD_DUPLICATE'],
      },
      ({ name, old_pass, new_pass }, ctx) =>
        attempt(name, ctx, () => users.changePassword(name, old_pass, new_pass, callerOf(ctx).token)),
    ),
  };
}
