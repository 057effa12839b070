import type { Context } from 'koa';
import { ErrorCode } from '@tagway/schemas';
import type { AuditEntry } from '../core/audit.ts';
import type { Gateway } from '../core/gateway.ts';
import { addressOf, knownCallerOf } from './caller.ts';
import { isRefusal, RefusedAttempts } from './refused-attempts.ts';
import type { Route } from './route.ts';
import { changeOf, look } from './seen-settings.ts';
import { deedOf, nodeOf, onInput } from './story.ts';

/** Keeps in the audit what requests change, and which were refused because of who made them. */
export class Trail {
  readonly #gateway: Gateway;
  readonly #strangers: RefusedAttempts;
  readonly #callers: RefusedAttempts;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#strangers = new RefusedAttempts(gateway.audit, 'addresses');
    this.#callers = new RefusedAttempts(gateway.audit, 'callers');
  }

  /** To be called before a request is handled: notes the settings that it may change. */
  watch(ctx: Context, { name }: Route): void {
    onInput(ctx, (input) => {
      (ctx.state as WithBefore).before = look(name, this.#gateway, input);
    });
  }

  /** To be called with the code of a reply before it is sent. */
  record(ctx: Context, { name, open }: Route, error: number): void {
    const deed = deedOf(name, ctx);
    const refused = isRefusal(error);
    // Who logs in changes nothing.
    if (!refused && (deed === undefined || open === true)) return;
    const caller = knownCallerOf(ctx);
    const from = addressOf(ctx);
    const done = deed?.text ?? `called ${name}`;
    const entry: AuditEntry = {
      time: Date.now(),
      user: caller?.name ?? '',
      kind: caller?.kind ?? 'nobody',
      issuer: caller?.issuer,
      from,
      endpoint: name,
      node: nodeOf(name, deed?.input),
      text: error === ErrorCode.SUCCESS ? done : `tried, with error ${error}: ${done}`,
      ...(error === ErrorCode.SUCCESS && deed !== undefined && this.#change(ctx, name, deed.input)),
      ...{ error, status: ctx.status },
    };
    if (!refused) this.#gateway.audit.add(entry);
    else if (caller === undefined) this.#strangers.add(from, entry);
    else this.#callers.add(caller.name, entry);
  }

  #change(
    ctx: Context,
    route: string,
    input: unknown,
  ): { readonly before?: object; readonly after?: object } {
    return changeOf((ctx.state as WithBefore).before, look(route, this.#gateway, input));
  }
}

interface WithBefore {
  before?: ReturnType<typeof look>;
}
