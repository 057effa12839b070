import { ErrorCode } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import { defaultUser } from '../core/access/users.ts';
import type { Warn } from './data-folder.ts';

/** Sets the password at every start while it is the default: also for a user who could not log in from elsewhere, and after --reset-password. */
export async function setFirstPassword(
  { users }: Gateway,
  password: string | undefined,
  warn: Warn,
): Promise<void> {
  if (password === undefined || !users.hasDefaultPassword) return;
  try {
    await users.replaceDefaultPassword(password);
  } catch (error) {
    const { code, message } = error as Fault;
    if (code === ErrorCode.PASSWORD_LENGTH)
      throw new Error(`TAGWAY_ADMIN_PASSWORD cannot be the password of admin. ${message}`, { cause: error });
    warn(`The password of ${defaultUser.name} could not be set. ${message}`);
  }
}
