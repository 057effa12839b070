import { Buffer } from 'node:buffer';
import type { ScryptOptions } from 'node:crypto';
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Loaded } from './load.ts';
import { Lock } from './lock.ts';
import { byteLength } from './names.ts';
import type { UserRecord } from './records.ts';
import { keys } from './records.ts';
import type { State } from './state.ts';

/** The user of a new gateway. */
export const defaultUser = { name: 'admin', password: '0000' } as const;

/**
 * About 100 ms and 33 MB for one hash, which is what makes guessing from a stolen database slow. Not less memory: glibc gives
 * blocks beyond 32 MB back to the system at once, and keeps smaller ones for every thread that hashed.
 */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };
const hashLength = 32;
/** Logins that may wait for their hash, which are made one at a time. */
const waitingLimit = 100;

/** An unknown user is compared with this, so that the time of the answer does not tell which users exist. */
const nobody: UserRecord = {
  hash: Buffer.alloc(hashLength).toString('base64'),
  salt: Buffer.alloc(16).toString('base64'),
};

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

export class Users {
  readonly #state: State;
  readonly #hashing = new Lock();
  #users = new Map<string, UserRecord>();

  constructor(state: State) {
    this.#state = state;
  }

  /** Takes what is stored. A new gateway gets the default user, one whose users were lost does not. */
  async load({ users, isNew }: Loaded): Promise<void> {
    this.#users = users;
    if (isNew) await this.resetPassword();
    else if (users.size === 0)
      this.#state.ports.log.error('There is no user. Start with --reset-password to make one.');
  }

  /** Rejects with CREDENTIALS_INVALID, or BUSY when very many log in at once. */
  async login(name: string, password: string): Promise<void> {
    const user = this.#users.get(name);
    const hash = await this.#hash(password, (user ?? nobody).salt);
    const equal = timingSafeEqual(hash, Buffer.from((user ?? nobody).hash, 'base64'));
    if (user === undefined || !equal) throw new Fault(ErrorCode.CREDENTIALS_INVALID);
  }

  /** Rejects with PASSWORD_LENGTH, CREDENTIALS_INVALID or PASSWORD_DUPLICATE, in this order. */
  async changePassword(name: string, oldPassword: string, newPassword: string): Promise<void> {
    const length = byteLength(newPassword);
    if (length < Limits.passwordMin || length > Limits.passwordMax)
      throw new Fault(ErrorCode.PASSWORD_LENGTH);
    await this.login(name, oldPassword);
    if (newPassword === oldPassword) throw new Fault(ErrorCode.PASSWORD_DUPLICATE);
    await this.#save(name, newPassword);
  }

  /** Gives the first user the password of a new gateway; makes that user when there is none. */
  async resetPassword(): Promise<void> {
    await this.#save(defaultUser.name, defaultUser.password);
  }

  async #save(name: string, password: string): Promise<void> {
    const salt = randomBytes(16).toString('base64');
    const record = { hash: (await this.#hash(password, salt)).toString('base64'), salt };
    await this.#state.change(async () => {
      await this.#state.commit({ set: [[keys.user(name), record]] });
      this.#users.set(name, record);
    });
  }

  #hash(password: string, salt: string): Promise<Buffer> {
    return this.#hashing.run(
      () => scryptAsync(password, Buffer.from(salt, 'base64'), hashLength, cost),
      waitingLimit,
    );
  }
}
