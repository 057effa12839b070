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
    if (!(await this.#matches(name, password)))
      throw new Fault(
        ErrorCode.CREDENTIALS_INVALID,
        'There is no user with this name and this password. Check both; capital letters count.',
      );
  }

  /** Names in alphabetical order. */
  list(): string[] {
    return [...this.#users.keys()].sort();
  }

  /** The first user has the password of a new gateway. */
  get hasDefaultPassword(): boolean {
    return this.#users.get(defaultUser.name)?.isDefault ?? false;
  }

  /** The first user always exists. */
  has(name: string): boolean {
    return name === defaultUser.name || this.#users.has(name);
  }

  /** Rejects with PASSWORD_LENGTH, CREDENTIALS_INVALID or PASSWORD_DUPLICATE, in this order. */
  async changePassword(name: string, oldPassword: string, newPassword: string): Promise<void> {
    this.#checkPassword(newPassword);
    await this.login(name, oldPassword);
    if (newPassword === oldPassword) throw samePassword(name);
    await this.#save(name, newPassword, () => this.#checkKnown(name));
  }

  /** Adds a user. Rejects with USER_NOT_PERMITTED, unless the first user asks, USER_NAME_LENGTH, PASSWORD_LENGTH or USER_EXISTS. */
  async add(asking: string, name: string, password: string): Promise<void> {
    checkPermission(asking);
    const length = byteLength(name);
    if (length < Limits.userNameMin || length > Limits.userNameMax) {
      throw new Fault(
        ErrorCode.USER_NAME_LENGTH,
        `The name of a user has ${Limits.userNameMin} to ${Limits.userNameMax} bytes in UTF-8, and this one ${length}.`,
      );
    }
    this.#checkPassword(password);
    const checkNew = (): void => {
      if (this.#users.has(name)) throw new Fault(ErrorCode.USER_EXISTS, `There is a user "${name}" already.`);
    };
    checkNew();
    await this.#save(name, password, checkNew);
  }

  /**
   * Sets the password of a user, who asks for it, or anybody's when the first user does. Rejects with USER_NOT_PERMITTED,
   * USER_NOT_FOUND, PASSWORD_LENGTH or PASSWORD_DUPLICATE.
   */
  async setPassword(asking: string, name: string, password: string): Promise<void> {
    if (asking !== name) checkPermission(asking);
    this.#checkKnown(name);
    this.#checkPassword(password);
    if (await this.#matches(name, password)) throw samePassword(name);
    await this.#save(name, password, () => this.#checkKnown(name));
  }

  /** Deletes a user. Rejects with USER_NOT_PERMITTED, for the first user too, or USER_NOT_FOUND. */
  async delete(asking: string, name: string): Promise<void> {
    checkPermission(asking);
    if (name === defaultUser.name)
      throw new Fault(ErrorCode.USER_NOT_PERMITTED, `The user "${name}" may not be deleted.`);
    await this.#state.change(async () => {
      this.#checkKnown(name);
      await this.#state.commit({ delete: [keys.user(name)] });
      this.#users.delete(name);
    });
  }

  /** Gives the first user the password of a new gateway; makes that user when there is none. */
  async resetPassword(): Promise<void> {
    await this.#save(defaultUser.name, defaultUser.password);
  }

  /** Gives the first user another password than that of a new gateway. Rejects with PASSWORD_LENGTH. */
  async replaceDefaultPassword(password: string): Promise<void> {
    this.#checkPassword(password);
    await this.#save(defaultUser.name, password);
  }

  async #matches(name: string, password: string): Promise<boolean> {
    const user = this.#users.get(name);
    const hash = await this.#hash(password, (user ?? nobody).salt);
    const isEqual = timingSafeEqual(hash, Buffer.from((user ?? nobody).hash, 'base64'));
    return user !== undefined && isEqual;
  }

  /** `check` refuses what is not right any more when the change has its turn, which may be long after the request. */
  async #save(name: string, password: string, check?: () => void): Promise<void> {
    const salt = randomBytes(16).toString('base64');
    const isDefault = name === defaultUser.name && password === defaultUser.password;
    const hash = (await this.#hash(password, salt)).toString('base64');
    const record = { hash, salt, ...(isDefault && { isDefault }) };
    await this.#state.change(async () => {
      check?.();
      await this.#state.commit({ set: [[keys.user(name), record]] });
      this.#users.set(name, record);
    });
  }

  #checkKnown(name: string): void {
    if (!this.#users.has(name)) throw new Fault(ErrorCode.USER_NOT_FOUND, `There is no user "${name}".`);
  }

  #checkPassword(password: string): void {
    const length = byteLength(password);
    if (length < Limits.passwordMin || length > this.#state.ports.profile.passwordMax) {
      throw new Fault(
        ErrorCode.PASSWORD_LENGTH,
        `A password has ${Limits.passwordMin} to ${this.#state.ports.profile.passwordMax} bytes in UTF-8, and this one ${length}.`,
      );
    }
  }

  #hash(password: string, salt: string): Promise<Buffer> {
    return this.#hashing.run(
      () => scryptAsync(password, Buffer.from(salt, 'base64'), hashLength, cost),
      waitingLimit,
    );
  }
}

/** Only the first user may change who else there is. */
function checkPermission(asking: string): void {
  if (asking !== defaultUser.name) {
    throw new Fault(
      ErrorCode.USER_NOT_PERMITTED,
      `Only the user "${defaultUser.name}" may do this, and "${asking}" asks for it.`,
    );
  }
}

function samePassword(name: string): Fault {
  return new Fault(
    ErrorCode.PASSWORD_DUPLICATE,
    `The new password of the user "${name}" is the one that is in force; choose another.`,
  );
}
