import { Buffer } from 'node:buffer';
import type { ScryptOptions } from 'node:crypto';
import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ErrorCode, Limits, type Role } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { Lock } from '../records/lock.ts';
import type { UserRecord } from '../records/records.ts';
import { keys } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { refuse } from '../system/refuse.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** The user of a new gateway. */
export const defaultUser = { name: 'admin', password: '0000' } as const;

/**
 * About 100 ms and 33 MB for one hash, which is what makes guessing from a stolen database slow. Not less memory: glibc gives
 * blocks beyond 32 MB back to the system at once, and keeps smaller ones for every thread that hashed.
 */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };
const hashLength = 32;
/** Logins that may wait for their hash. */
const waitingLimit = 100;

/** The password of an unknown user is compared with this, so that the time of the answer does not show which users exist. */
const nobody: UserRecord = {
  hash: Buffer.alloc(hashLength).toString('base64'),
  salt: Buffer.alloc(16).toString('base64'),
};

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

type Secret = Pick<UserRecord, 'hash' | 'salt' | 'isDefault'>;

/** Who asks for a change of the users. */
export interface Asking {
  /** Undefined: a token that is no user's. */
  readonly user?: string | undefined;
  /** May manage users and tokens. */
  readonly manages: boolean;
}

export interface UserUpdate {
  readonly password?: string | undefined;
  readonly role?: Role | undefined;
  /** The token with which the user asks, which stays good. */
  readonly token?: string | undefined;
}

export class Users {
  readonly #state: State;
  /** Two at once: somebody who guesses passwords keeps only one of them busy. */
  readonly #hashing = new Lock(2);
  readonly #cost: ScryptOptions;
  #users = new Map<string, UserRecord>();

  constructor(state: State) {
    this.#state = state;
    this.#cost = { ...cost, N: state.ports.hashCost ?? cost.N };
  }

  /** Takes the stored users. A gateway that has lost its users gets no default user, which everybody could log in as. */
  load(users: Map<string, UserRecord>, isNew: boolean): void {
    this.#users = users;
    if (!isNew && users.size === 0)
      this.#state.ports.log.error('There is no user. Start with --reset-password to make one.');
  }

  /** Makes the default user of a new gateway. */
  addFirst(): Promise<void> {
    return this.#reset({});
  }

  /** The generation that a new token carries. Rejects with CREDENTIALS_INVALID, or BUSY when very many log in at once. */
  async login(name: string, password: string): Promise<string | undefined> {
    const user = await this.#matching(name, password);
    if (user !== undefined) return user.generation;
    throw wrongCredentials();
  }

  /** By name, in alphabetical order. */
  list(): { readonly name: string; readonly role: Role }[] {
    return Array.from(this.#users, ([name, user]) => ({ name, role: roleIn(name, user) })).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  }

  /** The first user has the password of a new gateway. */
  get hasDefaultPassword(): boolean {
    return this.#users.get(defaultUser.name)?.isDefault ?? false;
  }

  /** What a user may do; undefined when there is no such user. */
  roleOf(name: string): Role | undefined {
    const user = this.#users.get(name);
    return user && roleIn(name, user);
  }

  /** Whether a token of this generation is still good for a user, who exists. */
  admits(name: string, generation: string | undefined, token: string): boolean {
    const user = this.#users.get(name);
    if (user === undefined) return false;
    return user.generation === generation || (user.spared !== undefined && user.spared === digestOf(token));
  }

  /**
   * Ends the other sessions of the user; `token`, which made the change, stays good. Rejects with PASSWORD_LENGTH, CREDENTIALS_INVALID
   * or PASSWORD_DUPLICATE, in this order.
   */
  async changePassword(
    name: string,
    oldPassword: string,
    newPassword: string,
    token?: string,
  ): Promise<void> {
    this.#checkPasswordLength(newPassword);
    await this.login(name, oldPassword);
    if (newPassword === oldPassword) throw samePassword(name);
    const secret = await this.#secretOf(name, newPassword);
    await this.#change(name, (user) => this.#renewed(user, secret, token));
  }

  /**
   * Adds a user. Rejects with USER_NOT_PERMITTED, unless a manager asks, USER_NAME_LENGTH, PASSWORD_LENGTH or USER_EXISTS. Tokens of an
   * earlier user of this name are not valid for the new one.
   */
  async add(asking: Asking, name: string, password: string, role: Role = 'engineer'): Promise<void> {
    checkManager(asking);
    const length = Buffer.byteLength(name);
    if (length < Limits.userNameMin || length > Limits.userNameMax) {
      throw new Refusal(
        ErrorCode.USER_NAME_LENGTH,
        sentence`The name of a user has ${Limits.userNameMin} to ${Limits.userNameMax} bytes in UTF-8, and this one ${length}.`,
      );
    }
    this.#checkPasswordLength(password);
    const checkNew = (): void => {
      if (this.#users.has(name))
        throw new Refusal(ErrorCode.USER_EXISTS, sentence`There is a user "${name}" already.`);
    };
    checkNew();
    const secret = await this.#secretOf(name, password);
    await this.#state.change(async () => {
      checkNew();
      await this.#save(name, { ...secret, role, generation: newGeneration() });
    });
  }

  /**
   * Sets the password of a user, for the user or a manager, its role, for a manager alone, or both. Rejects with
   * USER_NOT_PERMITTED, also for the role of the last admin, USER_NOT_FOUND, PASSWORD_LENGTH or PASSWORD_DUPLICATE.
   */
  async update(asking: Asking, name: string, { password, role, token }: UserUpdate): Promise<void> {
    if (asking.user !== name || role !== undefined) checkManager(asking);
    this.#known(name);
    if (password !== undefined) {
      this.#checkPasswordLength(password);
      if ((await this.#matching(name, password)) !== undefined) throw samePassword(name);
    }
    const secret = password === undefined ? undefined : await this.#secretOf(name, password);
    await this.#change(name, (user) => {
      if (role !== undefined && role !== 'admin') this.#checkOtherAdmin(name);
      const spared = asking.user === name ? token : undefined;
      const renewed = secret === undefined ? user : this.#renewed(user, secret, spared);
      return role === undefined ? renewed : { ...renewed, role };
    });
  }

  /** Deletes a user. Rejects with USER_NOT_PERMITTED, for the first user and the last admin too, or USER_NOT_FOUND. */
  async delete(asking: Asking, name: string): Promise<void> {
    checkManager(asking);
    if (name === defaultUser.name)
      throw new Refusal(ErrorCode.USER_NOT_PERMITTED, sentence`The user "${name}" may not be deleted.`);
    await this.#state.change(async () => {
      this.#known(name);
      this.#checkOtherAdmin(name);
      await this.#state.commit({ delete: [keys.user(name)] });
      this.#users.delete(name);
    });
  }

  /** Gives the first user the password of a new gateway and ends its sessions; makes that user when there is none. It is an admin. */
  resetPassword(): Promise<void> {
    return this.#reset({ generation: newGeneration() });
  }

  /** Gives the first user, who must exist, another password than that of a new gateway. Rejects with PASSWORD_LENGTH. */
  async replaceDefaultPassword(password: string): Promise<void> {
    this.#checkPasswordLength(password);
    const { name } = defaultUser;
    const secret = await this.#secretOf(name, password);
    await this.#change(name, (user) => this.#renewed(user, secret, undefined));
  }

  async #reset(generation: Pick<UserRecord, 'generation'>): Promise<void> {
    const { name, password } = defaultUser;
    const secret = await this.#secretOf(name, password);
    await this.#state.change(() => this.#save(name, { ...secret, role: 'admin', ...generation }));
  }

  /** The user of this name if this is its password. */
  async #matching(name: string, password: string): Promise<UserRecord | undefined> {
    const user = this.#users.get(name);
    const hash = await this.#hash(password, (user ?? nobody).salt);
    const isEqual = timingSafeEqual(hash, Buffer.from((user ?? nobody).hash, 'base64'));
    return isEqual ? user : undefined;
  }

  async #secretOf(name: string, password: string): Promise<Secret> {
    const salt = randomBytes(16).toString('base64');
    const hash = (await this.#hash(password, salt)).toString('base64');
    const isDefault = name === defaultUser.name && password === defaultUser.password;
    return { hash, salt, ...(isDefault && { isDefault }) };
  }

  /** What another password changes of a user. */
  #renewed({ role, generation, spared }: UserRecord, secret: Secret, token: string | undefined): UserRecord {
    const known = role === undefined ? secret : { ...secret, role };
    if (this.#state.ports.dialect.endsSessions)
      return {
        ...known,
        generation: newGeneration(),
        ...(token !== undefined && { spared: digestOf(token) }),
      };
    return {
      ...known,
      ...(generation !== undefined && { generation }),
      ...(spared !== undefined && { spared }),
    };
  }

  /** `changed` gets the user as it is under the lock of changes, which may be long after the request. */
  async #change(name: string, changed: (user: UserRecord) => UserRecord): Promise<void> {
    await this.#state.change(() => this.#save(name, changed(this.#known(name))));
  }

  async #save(name: string, record: UserRecord): Promise<void> {
    await this.#state.commit({ set: [[keys.user(name), record]] });
    this.#users.set(name, record);
  }

  #known(name: string): UserRecord {
    return this.#users.get(name) ?? refuse(ErrorCode.USER_NOT_FOUND, sentence`There is no user "${name}".`);
  }

  #checkOtherAdmin(name: string): void {
    const admins = this.list().filter(({ role }) => role === 'admin');
    if (admins.some((one) => one.name !== name) || this.roleOf(name) !== 'admin') return;
    throw new Refusal(
      ErrorCode.USER_NOT_PERMITTED,
      sentence`The user "${name}" is the last admin and has to stay one. Make another user an admin first.`,
    );
  }

  #checkPasswordLength(password: string): void {
    const length = Buffer.byteLength(password);
    if (length < Limits.passwordMin || length > this.#state.ports.dialect.passwordMax) {
      throw new Refusal(
        ErrorCode.PASSWORD_LENGTH,
        sentence`A password has ${Limits.passwordMin} to ${this.#state.ports.dialect.passwordMax} bytes in UTF-8, and this one ${length}.`,
      );
    }
  }

  #hash(password: string, salt: string): Promise<Buffer> {
    return this.#hashing.run(
      () => scryptAsync(password, Buffer.from(salt, 'base64'), hashLength, this.#cost),
      waitingLimit,
    );
  }
}

/** Throws USER_NOT_PERMITTED unless the caller may manage users and tokens. */
export function checkManager({ user, manages }: Asking): void {
  if (manages) return;
  const who = user === undefined ? sentence`a token without this right` : `"${user}"`;
  throw new Refusal(
    ErrorCode.USER_NOT_PERMITTED,
    sentence`Only an admin may do this, and ${who} asks for it.`,
  );
}

function roleIn(name: string, { role }: UserRecord): Role {
  return role ?? (name === defaultUser.name ? 'admin' : 'engineer');
}

function newGeneration(): string {
  return randomBytes(12).toString('base64url');
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

function samePassword(name: string): Fault {
  return new Refusal(
    ErrorCode.PASSWORD_DUPLICATE,
    sentence`The new password of the user "${name}" is the one that is in force; choose another.`,
  );
}

/** CREDENTIALS_INVALID, which does not say whether the name or the password is wrong. */
export function wrongCredentials(): Fault {
  const text = sentence`There is no user with this name and this password. Check both; capital letters count.`;
  return new Refusal(ErrorCode.CREDENTIALS_INVALID, text);
}
