import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { defaultUser, type Users } from '../access/users.ts';
import type { State } from '../records/state.ts';
import { clientOf } from './client.ts';
import { FailedLogins } from './failed-logins.ts';
import type { LoginSource } from './login-queue.ts';
import { LoginThrottle } from './login-throttle.ts';
import { ProviderQueue } from '../sign-in/provider-queue.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** What log and audit call a user that is not one of the gateway, where there are others. */
export const elsewhere = 'a user that is kept elsewhere';

/** All attempts that need a password, over HTTP and through apps: one throttle and one queue for them. */
export class Logins {
  readonly #users: Users;
  readonly #throttle = new LoginThrottle();
  readonly #atProvider = new LoginThrottle(new ProviderQueue());
  readonly #failures: FailedLogins;

  constructor(users: Users, { ports }: State) {
    this.#users = users;
    this.#failures = new FailedLogins((sentence) => ports.log.warn(sentence));
  }

  /** What log and audit call a user. A name that nobody has may be a password that was typed into the wrong field. */
  called(name: string): string {
    return this.#users.roleOf(name) === undefined ? 'a user that does not exist' : `"${name}"`;
  }

  /** Makes an attempt when the throttle allows it, and logs a wrong password. Settles as the attempt does, or rejects with BUSY. */
  async attempt(name: string, source: LoginSource, work: () => Promise<void>): Promise<void> {
    await this.#attempt(this.#throttle, this.called(name), name, source, work);
  }

  /** As `attempt`, for one that a provider decides, which may be slow: only others that a provider decides may have to wait for it. */
  async attemptAtProvider(name: string, source: LoginSource, work: () => Promise<void>): Promise<void> {
    await this.#attempt(this.#atProvider, elsewhere, name, source, work);
  }

  async #attempt(
    throttle: LoginThrottle,
    called: string,
    name: string,
    source: LoginSource,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await throttle.attempt(name, { ...source, address: clientOf(source.address) }, work);
    } catch (error) {
      if (isFault(error) && error.code === ErrorCode.CREDENTIALS_INVALID)
        this.#failures.add(called, source.address);
      throw error;
    }
  }
}

/** Throws CREDENTIALS_INVALID for a login from another machine with the password that every new gateway has. */
export function checkDefaultPassword(users: Users, name: string, isLocal: () => boolean): void {
  if (name !== defaultUser.name || !users.hasDefaultPassword || isLocal()) return;
  throw new Refusal(
    ErrorCode.CREDENTIALS_INVALID,
    sentence`The user "${defaultUser.name}" still has the password that every new gateway has, which is good on the gateway's own machine only. Change it there, at its loopback address and not through a proxy, with POST /api/v2/password, or start the gateway with another one in the environment variable TAGWAY_ADMIN_PASSWORD.`,
  );
}
