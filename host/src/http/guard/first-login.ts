import { BlockList, isIP } from 'node:net';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { defaultUser, type Users } from '../../core/access/users.ts';
import { addressOf, type Context } from '../request.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

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
  if (name !== defaultUser.name || !users.hasDefaultPassword || isLocal(ctx)) return;
  throw new Fault(
    ErrorCode.CREDENTIALS_INVALID,
    `The user "${defaultUser.name}" still has the password that every new gateway has, which is good on the gateway's own machine only. ` +
      'Change it there, at its loopback address and not through a proxy, with POST /api/v2/password, or start the gateway with ' +
      'another one in the environment variable TAGWAY_ADMIN_PASSWORD.',
  );
}

function isLoopback(address: string): boolean {
  const version = isIP(address);
  // The list takes IPv4 addresses that are written as IPv6 for what they are.
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
