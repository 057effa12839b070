import type { Users } from '../../core/access/users.ts';
import { isLoopback } from '../../core/logins/client.ts';
import { checkDefaultPassword } from '../../core/logins/logins.ts';
import { addressOf, type Context } from '../request.ts';

/** Headers by which proxies say that they forward a request. */
const forwarding = /^(forwarded|via|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|x-forwarded-.*)$/;

/**
 * Whether a request comes from this machine itself, and not through a proxy on it. A proxy is recognized by the headers that it adds, by a
 * Host header other than the loopback address (which also a web page has whose own name resolves to this machine), or by HTTP/1.0, which
 * only proxies still speak.
 */
function isLocal(ctx: Context): boolean {
  const { headers, httpVersion } = ctx.req;
  if (!isLoopback(addressOf(ctx)) || httpVersion === '1.0') return false;
  if (Object.keys(headers).some((name) => forwarding.test(name))) return false;
  const host = URL.parse(`http://${headers.host ?? ''}`)?.hostname.replaceAll(/^\[|\]$/g, '') ?? '';
  return host === 'localhost' || isLoopback(host);
}

/** Throws CREDENTIALS_INVALID for a login from another machine with the password that every new gateway has. */
export function checkFirstLogin(users: Users, name: string, ctx: Context): void {
  checkDefaultPassword(users, name, () => isLocal(ctx));
}
