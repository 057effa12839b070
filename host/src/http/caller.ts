import type { Context } from 'koa';

interface WithCaller {
  caller?: string;
}

/** Notes which user a request comes from. */
export function setCaller(ctx: Context, user: string): void {
  (ctx.state as WithCaller).caller = user;
}

/** The user a request comes from. An endpoint that is open to everybody has none, and may not ask. */
export function callerOf(ctx: Context): string {
  const { caller } = ctx.state as WithCaller;
  if (caller === undefined) throw new Error('Nobody was asked who calls.');
  return caller;
}
