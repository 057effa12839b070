import type { Dialect } from '@tagway/schemas';
import { callerOf, type Context } from '../request.ts';
import { checkRole } from './caller.ts';

/**
 * Whether a reply shows secrets in clear: when the request has `secrets=true`, and always in the dialect of the family. Throws
 * USER_NOT_PERMITTED when the caller may not change settings.
 */
export function wantsSecrets(
  ctx: Context,
  dialect: Dialect,
  secrets: string | undefined,
  what: string,
): boolean {
  if (dialect.showsSecrets) return true;
  if (secrets !== 'true') return false;
  checkRole(callerOf(ctx), 'engineer', `${what} with secrets`);
  return true;
}
