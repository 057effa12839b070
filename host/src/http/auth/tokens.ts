import { type KeyObject, randomBytes } from 'node:crypto';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import jsonwebtoken from 'jsonwebtoken';
import type { IncomingMessage } from 'node:http';
import jwt from 'koa-jwt';
import { isMachineToken } from '../../core/access/machine-tokens.ts';
import { BoundedMap } from '../../core/system/bounded-map.ts';
import type { Context, Middleware, RequestState } from '../request.ts';
import {
  checkExpiry,
  type Claims,
  claimsOf,
  expiryOf,
  issuerOf,
  product,
  type VerifiedToken,
} from './claims.ts';
import type { OutsideUser } from '../../core/sign-in/sign-in.ts';
import type { Issuers } from './issuers.ts';
import type { KeyPair } from './keys.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** Seconds that a token is valid. */
const lifetime = 3600;

/** Verified tokens that are remembered; the oldest is forgotten first and verified anew when it comes again. */
const rememberedMost = 1000;

export interface TokenOptions {
  readonly keys: KeyPair;
  /** The first seven characters of the header are skipped as the scheme, also when they are not `Bearer `. Default false. */
  readonly anyScheme?: boolean;
  /** Who may issue tokens beside the gateway. */
  readonly issuers?: Issuers | undefined;
}

/**
 * Issues and verifies the bearer tokens of the API. Verifying an RS256 signature costs about as much as ten small requests, so a token
 * that was verified is remembered until it expires.
 */
export class Tokens {
  readonly #keys: KeyPair;
  readonly #anyScheme: boolean;
  readonly #issuers: Issuers | undefined;
  readonly #verified = new BoundedMap<string, VerifiedToken>(rememberedMost);

  /** Middleware that verifies the token of a request, for `claimsOf`. Throws TOKEN_MISSING where there is none. */
  readonly middleware: readonly Middleware[];

  constructor({ keys, anyScheme = false, issuers }: TokenOptions) {
    this.#keys = keys;
    this.#anyScheme = anyScheme;
    this.#issuers = issuers;
    const options = {
      // koa-jwt hands it on to jsonwebtoken, which takes a key object.
      secret: (_header: unknown, claims: unknown) =>
        this.#keyOf(issuerOf(claims)) as Promise<unknown> as Promise<string>,
      algorithms: ['RS256'],
      // `claimsOf` checks the times of a token at each request, and its signature is checked once.
      ignoreExpiration: true,
      ignoreNotBefore: true,
      getToken: ({ state }: Context) => state.token ?? null,
      // `claimsOf` reports what is wrong with a token, with the codes of the API.
      passthrough: true,
    };
    const verify = jwt(options);
    this.middleware = [
      async (ctx, next) => {
        this.#take(ctx);
        await next();
      },
      async (ctx, next) => {
        const { token = '', verified } = ctx.state;
        await (verified === undefined && !isMachineToken(token) ? verify(ctx, next) : next());
      },
    ];
  }

  /** A new token for a user. */
  issue(user: string, generation?: string): string {
    return this.#sign({ user, ...(generation !== undefined && { generation }) });
  }

  /** A new token for a user that is not kept here. Its role is that of the moment. */
  issueFor({ name, role, way, generation }: OutsideUser): string {
    return this.#sign({ user: name, role, way, generation });
  }

  #sign(content: object): string {
    const times = { algorithm: 'RS256', expiresIn: lifetime, issuer: product, audience: product } as const;
    // Two sessions that begin in the same second have different tokens: one may end while the other goes on.
    const jwtid = randomBytes(8).toString('base64url');
    return jsonwebtoken.sign(content, this.#keys.privateKey, { ...times, jwtid });
  }

  /** What the token of a request says that the middleware has let through. Rejects with a code of tokens unless it is good now. */
  async claimsOf({ state }: Context): Promise<Claims> {
    const { token = '' } = state;
    const { claims, expiry, key } = (state.verified ??= await this.#remember(token, state));
    const now = await this.#keyOf(claims.issuer);
    try {
      checkExpiry(expiry);
      if (now !== key && now?.equals(key) !== true) throw new Fault(ErrorCode.TOKEN_UNDECODABLE);
    } catch (error) {
      this.#verified.delete(token);
      throw error;
    }
    return claims;
  }

  /** Whether a request brings a token that was verified before and is good for its time; what it may do is seen later. */
  isKnown(request: IncomingMessage): boolean {
    const token = this.bearerOf(request);
    const known = token === null ? undefined : this.#verified.get(token);
    return known !== undefined && Date.now() < known.expiry;
  }

  #take({ req, state }: Context): void {
    const token = this.bearerOf(req);
    if (token === null)
      throw new Refusal(
        ErrorCode.TOKEN_MISSING,
        sentence`The request has no header "Authorization: Bearer <token>"; POST /api/v2/login gives one.`,
      );
    state.token = token;
    const verified = this.#verified.get(token);
    if (verified !== undefined) state.verified = verified;
  }

  async #remember(token: string, { user, jwtOriginalError: cause }: RequestState): Promise<VerifiedToken> {
    if (user === undefined) throw new Fault(ErrorCode.TOKEN_UNDECODABLE, undefined, { cause });
    const expiry = expiryOf(user);
    const claims = claimsOf(user);
    const key = await this.#keyOf(claims.issuer);
    if (key === undefined) throw new Fault(ErrorCode.TOKEN_UNDECODABLE);
    const verified = { claims, expiry, key };
    this.#verified.set(token, verified);
    return verified;
  }

  async #keyOf(issuer: string): Promise<KeyObject | undefined> {
    return issuer === product ? this.#keys.publicKey : this.#issuers?.keyOf(issuer);
  }

  /** The token of `Authorization: Bearer <token>`, or null. */
  bearerOf({ headers: { authorization: header } }: IncomingMessage): string | null {
    return header !== undefined && (this.#anyScheme || /^bearer /i.test(header))
      ? header.slice(7).trim() || null
      : null;
  }
}
