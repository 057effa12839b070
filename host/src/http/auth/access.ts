import { ErrorCode, includesRole, type Dialect, type Role, roles } from '@tagway/schemas';
import type { IncomingMessage } from 'node:http';
import { isMachineToken } from '../../core/access/machine-tokens.ts';
import { defaultUser } from '../../core/access/users.ts';
import type { Gateway } from '../../core/gateway.ts';
import type { OutsideUser } from '../../core/sign-in/sign-in.ts';
import type { Context, Middleware } from '../request.ts';
import type { Caller } from './caller.ts';
import type { Claims } from './claims.ts';
import type { Issuers } from './issuers.ts';
import type { KeyPair } from './keys.ts';
import { Tokens } from './tokens.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** Who calls where the gateway asks for no token. */
const anybody: Caller = {
  kind: 'user',
  name: defaultUser.name,
  role: 'admin',
  manages: true,
  token: '',
};

export interface AccessOptions {
  readonly gateway: Gateway;
  readonly keys: KeyPair;
  readonly issuers?: Issuers;
  readonly dialect?: Pick<Dialect, 'hasRoles' | 'anyScheme'>;
  /** Asks for no token. Default false. */
  readonly disableAuth?: boolean;
}

/** Determines by its token who makes a request, and what this caller may do at this moment. */
export class Access {
  readonly tokens: Tokens;
  /** Middleware of the endpoints that need a token: notes who makes a request, or throws as `callerOf` rejects. */
  readonly middleware: readonly Middleware[];
  readonly #gateway: Gateway;
  readonly #issuers: Issuers | undefined;
  readonly #hasRoles: boolean;
  readonly #isOpen: boolean;

  constructor({ gateway, keys, issuers, dialect, disableAuth = false }: AccessOptions) {
    this.#gateway = gateway;
    this.#issuers = issuers;
    this.#hasRoles = dialect?.hasRoles ?? true;
    this.#isOpen = disableAuth;
    this.tokens = new Tokens({ keys, anyScheme: dialect?.anyScheme ?? false, issuers });
    const identify: Middleware = async (ctx, next) => {
      ctx.state.caller = await this.callerOf(ctx);
      await next();
    };
    this.middleware = disableAuth ? [identify] : [...this.tokens.middleware, identify];
  }

  /** Whether a request needs no token or brings one that was good before. */
  isKnown(request: IncomingMessage): boolean {
    if (this.#isOpen || this.tokens.isKnown(request)) return true;
    const token = this.tokens.bearerOf(request);
    return token !== null && this.#gateway.signIn.isKnown(token);
  }

  /**
   * Who makes a request whose token was verified. Rejects with the codes of tokens, TOKEN_INVALID among them for one that its user's
   * new password or deletion has ended.
   */
  async callerOf(ctx: Context): Promise<Caller> {
    if (this.#isOpen) return anybody;
    const { token = '' } = ctx.state;
    if (isMachineToken(token)) {
      const { name, role } = this.#gateway.machineTokens.use(token);
      return { kind: 'token', name, role, manages: role === 'admin', token };
    }
    const { signIn } = this.#gateway;
    if (signIn.isOfProvider(token)) return this.#asOutside(await signIn.userOf(token), token);
    const claims = await this.tokens.claimsOf(ctx);
    return claims.isOwn ? this.#ofUser(claims, token) : this.#ofIssuer(claims, token);
  }

  #ofUser({ user: name = defaultUser.name, generation, way, role: claimed }: Claims, token: string): Caller {
    if (way !== undefined) {
      if (!this.#gateway.signIn.admits(way, generation))
        throw new Refusal(
          ErrorCode.TOKEN_INVALID,
          sentence`The session of the user "${name}" is of before the settings of the sign-in were changed. Sign in again.`,
        );
      const outside = roles.find((one) => one === claimed) ?? 'viewer';
      return this.#asOutside({ name, role: outside, way }, token);
    }
    const role = this.#roleOf(name);
    if (!this.#gateway.users.admits(name, generation, token)) {
      throw new Refusal(
        ErrorCode.TOKEN_INVALID,
        sentence`The token is of before the user "${name}" got another password or was made anew; POST /api/v2/login gives a new one.`,
      );
    }
    return this.#asUser(name, role, token);
  }

  /** A token that names a user has the lesser role of issuer and user; the claim `role` can only lower it. */
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

  /** Their roles hold in every dialect. A user of the gateway itself who has the same name is somebody else. */
  #asOutside({ name, role, way }: Pick<OutsideUser, 'name' | 'role' | 'way'>, token: string): Caller {
    const issuer = this.#gateway.signIn.issuerOf(way);
    return { kind: 'user', name, issuer, isOutside: true, role, manages: role === 'admin', token };
  }

  #asUser(name: string, role: Role, token: string): Caller {
    if (this.#hasRoles) return { kind: 'user', name, role, manages: role === 'admin', token };
    return { kind: 'user', name, role: 'admin', manages: name === defaultUser.name, token };
  }

  #roleOf(name: string): Role {
    const role = this.#gateway.users.roleOf(name);
    if (role === undefined)
      throw new Refusal(ErrorCode.TOKEN_INVALID, sentence`There is no user "${name}" any more.`);
    return role;
  }
}

function least(a: Role, b: Role): Role {
  return includesRole(a, b) ? b : a;
}
