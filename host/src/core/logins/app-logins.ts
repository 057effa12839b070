import { ErrorCode, includesRole, type Role } from '@tagway/schemas';
import { type Fault, isFault, type Login } from '@tagway/sdk';
import type { Audit, AuditEntry } from '../access/audit.ts';
import type { PluginPermissions } from '../access/plugin-permissions.ts';
import { RefusedAttempts } from '../access/refused-attempts.ts';
import { type Users, wrongCredentials } from '../access/users.ts';
import type { Node } from '../model.ts';
import { isLoopback } from './client.ts';
import { checkDefaultPassword, type Logins } from './logins.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Longest name and password that are looked at. */
const longest = 1024;

/** Logins of the clients of apps. An app gets the role of the user and nothing else. */
export class AppLogins {
  readonly #users: Users;
  readonly #logins: Logins;
  readonly #permissions: PluginPermissions;
  readonly #audit: Audit;
  readonly #refused: RefusedAttempts;

  constructor(users: Users, logins: Logins, permissions: PluginPermissions, audit: Audit) {
    this.#users = users;
    this.#logins = logins;
    this.#permissions = permissions;
    this.#audit = audit;
    this.#refused = new RefusedAttempts(audit, 'addresses');
  }

  /** Rejects with USER_NOT_PERMITTED, CREDENTIALS_INVALID or BUSY. */
  async login(app: Node, name: string, password: string, address: string): Promise<Login> {
    const refusal = this.#permissions.refusalOf(app.plugin);
    if (refusal !== undefined) throw refusal;
    try {
      const role = await this.#roleOf(name, password, address);
      this.#record(app, name, address, ErrorCode.SUCCESS);
      return { role };
    } catch (error) {
      if (isFault(error)) this.#record(app, name, address, error.code);
      throw error;
    }
  }

  /** USER_NOT_PERMITTED unless an app may write for users, and this user may write tags now. */
  refusalOf(app: Node, name: string): Fault | undefined {
    const refusal = this.#permissions.refusalOf(app.plugin);
    if (refusal !== undefined) return refusal;
    const role = this.#users.roleOf(name);
    if (role !== undefined && includesRole(role, 'operator')) return undefined;
    return new Refusal(
      ErrorCode.USER_NOT_PERMITTED,
      role === undefined
        ? sentence`There is no user "${name}" any more.`
        : sentence`The user "${name}" is a ${role} and may not write tags; an operator may.`,
    );
  }

  async #roleOf(name: string, password: string, address: string): Promise<Role> {
    if (name.length > longest || password.length > longest) throw wrongCredentials();
    await this.#logins.attempt(name, { address }, async () => {
      await this.#users.login(name, password);
      checkDefaultPassword(this.#users, name, () => isLoopback(address));
    });
    // A user may have been deleted meanwhile.
    const role = this.#users.roleOf(name);
    if (role === undefined) throw wrongCredentials();
    return role;
  }

  #record(app: Node, name: string, address: string, error: number): void {
    const isUser = error === ErrorCode.SUCCESS;
    const entry: AuditEntry = {
      time: Date.now(),
      user: isUser ? name : '',
      kind: isUser ? 'user' : 'nobody',
      from: address,
      node: app.name,
      text: `logged in as ${this.#logins.called(name)} through the node "${app.name}"`,
      error,
    };
    if (isUser) this.#audit.add(entry);
    else this.#refused.add(address, entry);
  }
}
