import type { Gateway } from '../core/gateway.ts';
import type { Tokens } from './auth.ts';
import { bare, withBody, type Route } from './route.ts';

/** Section 4.1. With `disableAuth`, a login succeeds whatever its body is, and the token is empty. */
export function sessionRoutes({ users }: Gateway, tokens: Tokens, disableAuth: boolean): Route[] {
  const login = withBody(
    'POST',
    '/api/v2/login',
    'LoginBody',
    async ({ name, pass }) => {
      await users.login(name, pass);
      return { token: tokens.issue(name) };
    },
    { open: true },
  );
  return [
    bare('POST', '/api/v2/ping', () => ({}), true),

    disableAuth ? bare('POST', '/api/v2/login', () => ({ token: '' }), true) : login,

    withBody('POST', '/api/v2/password', 'PasswordBody', async (body) => {
      await users.changePassword(body.name, body.old_pass, body.new_pass);
      return undefined;
    }),
  ];
}
