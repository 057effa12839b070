import type { Gateway } from '../core/gateway.ts';
import type { Tokens } from './auth.ts';
import { bare, withBody, type Route } from './route.ts';

/** Section 4.1. */
export function sessionRoutes({ users }: Gateway, tokens: Tokens): Route[] {
  return [
    bare('POST', '/api/v2/ping', () => ({}), true),

    withBody(
      'POST',
      '/api/v2/login',
      'LoginBody',
      async ({ name, pass }) => {
        await users.login(name, pass);
        return { token: tokens.issue(name) };
      },
      { open: true },
    ),

    withBody('POST', '/api/v2/password', 'PasswordBody', async (body) => {
      await users.changePassword(body.name, body.old_pass, body.new_pass);
      return undefined;
    }),
  ];
}
