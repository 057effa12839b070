import { ErrorCode, includesRole, type Profile, type Role, roles } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Context } from 'koa';
import type { Gateway } from '../core/gateway.ts';
import { isMachineToken } from '../core/machine-tokens.ts';
import { defaultUser } from '../core/users.ts';
import type { Claims, Tokens } from './auth.ts';
import type { Caller } from './caller.ts';
import type { Issuers } from './issuers.ts';

/** Who calls where nobody is asked for a token. */
const anybody: Caller = {
  kind: 'user',
  name: defaultUser.name,
  role: 'admin',
  manages: true,
  token: '',
};

export interface AccessOptions {
  readonly gateway: Gateway;
  readonly issuers?: Issuers;
  readonly profile?: Pick<Profile, 'hasRoles'>;
  /** Asks for no token. Default false. */
  readonly disableAuth?: boolean;
}

/** Tells by its token who makes a request, and what the caller may do at this moment. */
export class Access {
  readonly #gateway: Gateway;
  readonly #tokens: Tokens;
  readonly #issuers: Issuers | undefined;
  readonly #hasRoles: boolean;
  readonly #asksNobody: boolean;

  constructor({ gateway, issuers, profile, disableAuth = false }: AccessOptions, tokens: Tokens) {
    this.#gateway = gateway;
    this.#tokens = tokens;
    this.#issuers = issuers;
    this.#hasRoles = profile?.hasRoles ?? true;
    this.#asksNobody = disableAuth;
  }

  /** Rejects with the codes of tokens, TOKEN_INVALID among them for one that its user's new password or deletion has ended. */
  async callerOf(ctx: Context): Promise<Caller> {
    if (this.#asksNobody) return anybody;
    const token = this.#tokens.bearer(ctx);
    if (isMachineToken(token)) {
      const { name, role } = this.#gateway.machineTokens.use(token);
      return { kind: 'token', name, role, manages: role === 'admin', token };
    }
    const claims = await this.#tokens.authenticate(ctx, token);
    return claims.isOwn ? this.#ofUser(claims, token) : this.#ofIssuer(claims, token);
  }

  #ofUser({ user: name = defaultUser.name, generation }: Claims, token: string): Caller {
    const role = this.#roleOf(name);
    if (!this.#gateway.users.admits(name, generation, token)) {
      throw new Fault(
        ErrorCode.TOKEN_INVALID,
        `The token is of before the user "${name}" got another password or was made anew; POST /api/v2/login gives a new one.`,
      );
    }
    return this.#asUser(name, role, token);
  }

  /** A token that names a user may do what both the issuer and the user may; `role` in it makes that less. */
  async #ofIssuer({ issuer, user, role: claimed }: Claims, token: string): Promise<Caller> {
    if (!this.#hasRoles)
      return this.#asUser(user ?? defaultUser.name, this.#roleOf(user ?? defaultUser.name), token);
    const most = (await this.#issuers?.roleOf(issuer)) ?? 'viewer';
    const role = least(
      most,
      claimed === undefined ? most : (roles.find((one) => one === claimed) ?? 'viewer'),
    );
    if (user !== undefined) return { ...this.#asUser(user, least(role, this.#roleOf(user)), token), issuer };
    return { kind: 'issuer', name: issuer, role, manages: role === 'admin', token };
  }

  #asUser(name: string, role: Role, token: string): Caller {
    if (this.#hasRoles) return { kind: 'user', name, role, manages: role === 'admin', token };
    return { kind: 'user', name, role: 'admin', manages: name === defaultUser.name, token };
  }

  #roleOf(name: string): Role {
    const role = this.#gateway.users.roleOf(name);
    if (role === undefined) throw new Fault(ErrorCode.TOKEN_INVALID, `There is no user "${name}" any more.`);
    return role;
  }
}

function least(a: Role, b: Role): Role {
  return includesRole(a, b) ? b : a;
}
