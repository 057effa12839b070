import type { Profile } from '@tagway/schemas';
import type { Context } from 'koa';
import { callerOf, checkRole } from './caller.ts';

/**
 * Whether a reply shows secrets in clear: to those who ask for them with `secrets=true`, and always as the family does. Throws
 * USER_NOT_PERMITTED when somebody asks who may not change settings either.
 */
export function wantsSecrets(
  ctx: Context,
  profile: Profile,
  secrets: string | undefined,
  what: string,
): boolean {
  if (profile.showsSecrets) return true;
  if (secrets !== 'true') return false;
  checkRole(callerOf(ctx), 'engineer', `${what} with secrets`);
  return true;
}
