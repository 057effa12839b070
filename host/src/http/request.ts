import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { Asking } from '../core/access/users.ts';
import type { LoginSource } from '../core/logins/login-queue.ts';
import type { RequestedChange } from './audit/requested-change.ts';
import { titleOf, type Caller } from './auth/caller.ts';
import type { VerifiedToken } from './auth/claims.ts';

/** What the API needs of a pino logger. */
export interface RequestLog {
  isLevelEnabled(level: string): boolean;
  debug(fields: object, message: string): void;
  notice(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What is known of a request while it is answered. */
export interface RequestState {
  /** Its number in the log. */
  number?: number;
  /** The address it comes from, where that is not the address of its connection. */
  address?: string;
  /** The bearer token that it brings. */
  token?: string;
  /** The token, once its signature and its times were found good. */
  verified?: VerifiedToken;
  /** What koa-jwt has found in the token. */
  user?: object;
  /** Why koa-jwt has refused the token. */
  jwtOriginalError?: unknown;
  /** Who makes it. An endpoint that is open to everybody does not ask. */
  caller?: Caller;
  /** It brought a right password. */
  hasPassword?: boolean;
  /** Warnings for the reply: what is unusual in the request and does not make it fail. */
  warnings?: string[];
  /** The change that it asks for, once its input was checked. */
  change?: RequestedChange | undefined;
}

export type Context = ParameterizedContext<RequestState>;
export type Middleware = KoaMiddleware<RequestState>;

/** Whether a request brought a good token or a right password. */
export function isProven({ state: { caller, hasPassword = false } }: Context): boolean {
  return caller !== undefined || hasPassword;
}

/** The address a request comes from; behind a trusted proxy, that of the proxy's client. */
export function addressOf({ state, req }: Context): string {
  return state.address ?? req.socket.remoteAddress ?? '';
}

/** Whose turn an attempt to log in takes. */
export function sourceOf(ctx: Context): LoginSource {
  const { socket } = ctx.req;
  return { address: addressOf(ctx), connection: socket, isOver: () => socket.destroyed };
}

/** Who makes a request and from where, as the log words it. */
export function whoOf(ctx: Context): string {
  const caller = knownCallerOf(ctx);
  return `${caller === undefined ? 'somebody' : String(titleOf(caller))} at ${addressOf(ctx)}`;
}

/** Who makes a request. Throws for an endpoint that is open to everybody. */
export function callerOf({ state: { caller } }: Context): Caller {
  if (caller === undefined) throw new Error('The endpoint is open: it does not know who calls.');
  return caller;
}

/** Who makes a request; undefined when that is not known, or the gateway asks for no token. */
export function knownCallerOf({ state: { caller } }: Context): Caller | undefined {
  return caller?.token === '' ? undefined : caller;
}

/** Who asks for a change of users. The token of an issuer does not let a user change its own password. */
export function askingOf(ctx: Context): Asking {
  const { kind, name, issuer, manages } = callerOf(ctx);
  return { user: kind === 'user' && issuer === undefined ? name : undefined, manages };
}
