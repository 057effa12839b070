import { ErrorCode, includesRole, type Role } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Context } from 'koa';
import type { Asking } from '../core/users.ts';

/** Who makes a request. */
export interface Caller {
  /** `issuer`: a token of another issuer that names no user. */
  readonly kind: 'user' | 'token' | 'issuer';
  readonly name: string;
  /** Who vouches for the user, where that is not the gateway. */
  readonly issuer?: string;
  readonly role: Role;
  /** May change who else there is. */
  readonly manages: boolean;
  /** The bearer token; empty when nobody asked for one. */
  readonly token: string;
}

interface WithCaller {
  caller?: Caller;
  hasPassword?: boolean;
  address?: string;
}

/** Notes who a request comes from. */
export function setCaller(ctx: Context, caller: Caller): void {
  (ctx.state as WithCaller).caller = caller;
}

/** Notes that a request brought a right password. */
export function setPassed(ctx: Context): void {
  (ctx.state as WithCaller).hasPassword = true;
}

/** Whether a request brought a good token or a right password. */
export function isProven(ctx: Context): boolean {
  const { caller, hasPassword = false } = ctx.state as WithCaller;
  return caller !== undefined || hasPassword;
}

/** Notes the address a request comes from where that is not the address of its connection. */
export function setAddress(ctx: Context, address: string): void {
  (ctx.state as WithCaller).address = address;
}

/** The address a request comes from; behind a trusted proxy, that of the proxy's client. */
export function addressOf(ctx: Context): string {
  return (ctx.state as WithCaller).address ?? ctx.req.socket.remoteAddress ?? '';
}

/** Who makes a request and from where, as the log words it. */
export function whoOf(ctx: Context): string {
  const caller = knownCallerOf(ctx);
  const who = caller === undefined ? 'somebody' : nameOf(caller);
  return `${who} at ${addressOf(ctx)}`;
}

/** Who a request comes from. An endpoint that is open to everybody has none, and may not ask. */
export function callerOf(ctx: Context): Caller {
  const { caller } = ctx.state as WithCaller;
  if (caller === undefined) throw new Error('Nobody was asked who calls.');
  return caller;
}

/** Who a request comes from; undefined when that is not known, or nobody was asked for a token. */
export function knownCallerOf(ctx: Context): Caller | undefined {
  const { caller } = ctx.state as WithCaller;
  return caller?.token === '' ? undefined : caller;
}

/** As whom a request asks for a change of the users. The word of an issuer does not do for a user's own password. */
export function askingOf(ctx: Context): Asking {
  const { kind, name, issuer, manages } = callerOf(ctx);
  return { user: kind === 'user' && issuer === undefined ? name : undefined, manages };
}

/** Throws USER_NOT_PERMITTED unless the caller may do what needs this role. `what` is the endpoint. */
export function checkRole(caller: Caller, least: Role, what: string): void {
  if (includesRole(caller.role, least)) return;
  throw new Fault(
    ErrorCode.USER_NOT_PERMITTED,
    `${what} needs the role ${least}; ${nameOf(caller)} is ${caller.role}.`,
  );
}

const titles = { user: 'the user', token: 'the token', issuer: 'the issuer' } as const;

function nameOf({ kind, name, issuer }: Caller): string {
  return `${titles[kind]} "${name}"${issuer === undefined ? '' : ` of the issuer "${issuer}"`}`;
}
