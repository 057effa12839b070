import type { Gateway } from '../core/gateway.ts';
import type { Context } from 'koa';
import type { Tokens } from './auth.ts';
import { LoginThrottle } from './login-throttle.ts';
import { bare, withBody, type Route } from './route.ts';

/** Section 4.1. With `disableAuth`, a login succeeds whatever its body is, and the token is empty. */
export function sessionRoutes({ users }: Gateway, tokens: Tokens, disableAuth: boolean): Route[] {
  const throttle = new LoginThrottle();
  const address = (ctx: Context): string => ctx.req.socket.remoteAddress ?? '';
  const login = withBody(
    'POST',
    '/api/v2/login',
    'LoginBody',
    async ({ name, pass }, ctx) => {
      await throttle.attempt(name, address(ctx), () => users.login(name, pass));
      return { token: tokens.issue(name) };
    },
    { open: true },
  );
  return [
    bare('POST', '/api/v2/ping', () => ({}), true),

    disableAuth ? bare('POST', '/api/v2/login', () => ({ token: '' }), true) : login,

    withBody('POST', '/api/v2/password', 'PasswordBody', async ({ name, old_pass, new_pass }, ctx) => {
      await throttle.attempt(name, address(ctx), () => users.changePassword(name, old_pass, new_pass));
      return undefined;
    }),
  ];
}
