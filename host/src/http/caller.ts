import type { Context } from 'koa';

interface WithCaller {
  caller?: string;
  isUnproven?: boolean;
  address?: string;
}

/** Notes which user a request comes from; `isUnproven` when nobody asked for a token. */
export function setCaller(ctx: Context, user: string, isUnproven = false): void {
  Object.assign(ctx.state, { caller: user, isUnproven });
}

/** Whether it is known which user a request comes from: it brought a good token or a right password. */
export function hasCaller(ctx: Context): boolean {
  return (ctx.state as WithCaller).caller !== undefined;
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
  const { caller, isUnproven = false } = ctx.state as WithCaller;
  const who = caller === undefined || isUnproven ? 'somebody' : `the user "${caller}"`;
  return `${who} at ${addressOf(ctx)}`;
}

/** The user a request comes from. An endpoint that is open to everybody has none, and may not ask. */
export function callerOf(ctx: Context): string {
  const { caller } = ctx.state as WithCaller;
  if (caller === undefined) throw new Error('Nobody was asked who calls.');
  return caller;
}
