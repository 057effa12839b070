import { ErrorCode } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Gateway } from './core/gateway.ts';
import { defaultUser } from './core/users.ts';
import type { Tell } from './data-folder.ts';

/** Also later than at the first start: whoever could not log in from elsewhere can set it then, and after --reset-password. */
export async function setFirstPassword(
  { users }: Gateway,
  password: string | undefined,
  tell: Tell,
): Promise<void> {
  if (password === undefined || !users.hasDefaultPassword) return;
  try {
    await users.replaceDefaultPassword(password);
  } catch (error) {
    const { code, message } = error as Fault;
    if (code === ErrorCode.PASSWORD_LENGTH)
      throw new Error(`TAGWAY_ADMIN_PASSWORD cannot be the password of admin. ${message}`, { cause: error });
    tell(`The password of ${defaultUser.name} could not be set. ${message}`);
  }
}
