import { ErrorCode } from '@tagway/schemas';
import type { Audit, AuditEntry } from '../../core/access/audit.ts';
import { addressOf, knownCallerOf, type Context } from '../request.ts';
import type { Route } from '../route.ts';
import { changedSettings } from './changed-settings.ts';
import { isRefusal, RefusedAttempts } from '../../core/access/refused-attempts.ts';

/** Keeps in the audit what requests change, and which were refused because of who made them. */
export class AuditRecorder {
  readonly #audit: Audit;
  readonly #strangers: RefusedAttempts;
  readonly #callers: RefusedAttempts;

  constructor(audit: Audit) {
    this.#audit = audit;
    this.#strangers = new RefusedAttempts(audit, 'addresses');
    this.#callers = new RefusedAttempts(audit, 'callers');
  }

  /** To be called with the code of a reply before it is sent. */
  record(ctx: Context, { name, path, open }: Route, error: number): void {
    const { change } = ctx.state;
    const refused = isRefusal(error);
    // Who logs in changes nothing.
    if (!refused && (change === undefined || open === true)) return;
    const caller = knownCallerOf(ctx);
    const from = addressOf(ctx);
    const done = change?.text ?? `called ${name}`;
    const entry: AuditEntry = {
      time: Date.now(),
      user: caller?.name ?? '',
      kind: caller?.kind ?? 'nobody',
      issuer: caller?.issuer,
      from,
      endpoint: name,
      node: nodeOf(path, change?.input),
      text: error === ErrorCode.SUCCESS ? done : `tried, with error ${error}: ${done}`,
      ...(error === ErrorCode.SUCCESS && change && changedSettings(change.before, change.now())),
      error,
      status: ctx.status,
    };
    if (!refused) this.#audit.add(entry);
    else if (caller === undefined) this.#strangers.add(from, entry);
    else this.#callers.add(caller.name, entry);
  }
}

/** The node that a request is about; of a subscription, the app. */
function nodeOf(path: string, input: unknown): string | undefined {
  const { node, app, name } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const named = node ?? app ?? (path === '/api/v2/node' ? name : undefined);
  return typeof named === 'string' ? named : undefined;
}
