import { type KeyObject, randomBytes } from 'node:crypto';
import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import jsonwebtoken from 'jsonwebtoken';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import jwt from 'koa-jwt';
import type { Issuers } from './issuers.ts';
import type { KeyPair } from './keys.ts';

/** Issuer and audience of the tokens. */
const product = 'tagway';

/** Seconds that a token is valid. */
const lifetime = 3600;

/** Tokens remembered at most; beyond it the oldest is forgotten and checked anew when it comes again. */
const memory = 1000;

/** What a token says whose signature and times are good. */
export interface Claims {
  readonly issuer: string;
  /** The gateway issued it. */
  readonly isOwn: boolean;
  readonly user: string | undefined;
  /** Of the user, see `UserRecord`. */
  readonly generation: string | undefined;
  /** As the issuer wrote it. */
  readonly role: unknown;
}

/** A token that passed. */
interface Known {
  readonly claims: Claims;
  /** Milliseconds since the epoch. */
  readonly expiry: number;
  /** The key by which its issuer was seen. */
  readonly key: KeyObject;
}

/**
 * Issues and checks the bearer tokens of the API. Checking an RS256 signature costs about as much as ten small requests, so
 * a token that passed is remembered until it expires.
 */
export class Tokens {
  readonly #keys: KeyPair;
  readonly #anyScheme: boolean;
  readonly #issuers: Issuers | undefined;
  readonly #check: jwt.Middleware;
  readonly #known = new Map<string, Known>();

  /**
   * With `anyScheme`, the first seven characters of the header are taken for the scheme, whatever they are. `issuers` may issue
   * tokens too.
   */
  constructor(keys: KeyPair, anyScheme = false, issuers?: Issuers) {
    this.#issuers = issuers;
    this.#keys = keys;
    this.#anyScheme = anyScheme;
    // What koa-jwt does not know it hands to jsonwebtoken, which takes a key object and leaves the times to us.
    const options = {
      secret: (_header: unknown, claims: unknown) =>
        this.#keyOf(issuerOf(claims)) as Promise<unknown> as Promise<string>,
      algorithms: ['RS256'],
      ignoreExpiration: true,
      ignoreNotBefore: true,
      getToken: (ctx: Context) => bearer(ctx, anyScheme),
      isRevoked: async (_ctx: Context, content: object, token: string) => {
        const expiry = expiryOf(content);
        const claims = claimsOf(content);
        const key = await this.#keyOf(claims.issuer);
        if (key !== undefined) this.#remember(token, { claims, expiry, key });
        return false;
      },
    };
    this.#check = jwt(options);
  }

  /** A new token for a user. */
  issue(user: string, generation?: string): string {
    const times = { algorithm: 'RS256', expiresIn: lifetime, issuer: product, audience: product } as const;
    // Two sessions that begin in the same second are two all the same: one may end while the other goes on.
    const jwtid = randomBytes(8).toString('base64url');
    return jsonwebtoken.sign(
      { user, ...(generation !== undefined && { generation }) },
      this.#keys.privateKey,
      { ...times, jwtid },
    );
  }

  /** The bearer token of a request. Throws TOKEN_MISSING. */
  bearer(ctx: Context): string {
    const token = bearer(ctx, this.#anyScheme);
    if (token !== null) return token;
    throw new Fault(
      ErrorCode.TOKEN_MISSING,
      'The request has no header "Authorization: Bearer <token>"; POST /api/v2/login gives one.',
    );
  }

  /** What the token of a request says. Rejects with the code of section 5 of the API unless it is good. */
  async authenticate(ctx: Context, token: string): Promise<Claims> {
    const known = this.#known.get(token);
    if (known !== undefined) {
      const isExpired = Date.now() >= known.expiry;
      if (!isExpired && (await this.#keyOf(known.claims.issuer)) === known.key) return known.claims;
      this.#known.delete(token);
      if (isExpired) throw expired(known.expiry);
    }
    try {
      await this.#check(ctx, () => Promise.resolve());
    } catch (error) {
      const cause: unknown = (error as { originalError?: unknown }).originalError;
      throw isFault(cause)
        ? cause
        : new Fault(ErrorCode.TOKEN_UNDECODABLE, undefined, { cause: cause ?? error });
    }
    return claimsOf((ctx.state as { user: object }).user);
  }

  /** Whether a request carries a token that passed before and is good for its time; what it may do is seen later. */
  isKnown(request: IncomingMessage): boolean {
    const token = bearer({ req: request }, this.#anyScheme);
    const known = token === null ? undefined : this.#known.get(token);
    return known !== undefined && Date.now() < known.expiry;
  }

  async #keyOf(issuer: string): Promise<KeyObject | undefined> {
    return issuer === product ? this.#keys.publicKey : this.#issuers?.keyOf(issuer);
  }

  #remember(token: string, known: Known): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= memory && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(token, known);
  }
}

/** The token of `Authorization: Bearer <token>`, or null. */
function bearer(ctx: Pick<Context, 'req'>, anyScheme: boolean): string | null {
  const header = ctx.req.headers.authorization;
  return header !== undefined && (anyScheme || /^bearer /i.test(header))
    ? header.slice(7).trim() || null
    : null;
}

/** A token that names nobody, of ours, is the first user's, as those are that were made before there were others. */
function claimsOf(content: object): Claims {
  const { user, generation, role } = content as Record<string, unknown>;
  if (user !== undefined && typeof user !== 'string')
    throw new Fault(ErrorCode.TOKEN_INVALID, 'The token does not say whose it is.');
  const issuer = issuerOf(content);
  return {
    ...{ issuer, isOwn: issuer === product, user, role },
    generation: typeof generation === 'string' ? generation : undefined,
  };
}

/** Empty when the claims, which nobody has checked yet, name no issuer. */
function issuerOf(claims: unknown): string {
  const { iss } = (claims ?? {}) as { iss?: unknown };
  return typeof iss === 'string' ? iss : '';
}

function expired(expiry: number): Fault {
  // An issuer may have written any number, and dates end somewhere.
  const when = Math.abs(expiry) <= 8.64e15 ? ` on ${new Date(expiry).toISOString()}` : '';
  return new Fault(
    ErrorCode.TOKEN_EXPIRED,
    `The token of the header "Authorization" expired${when}; POST /api/v2/login gives a new one.`,
  );
}

/** When a token with these claims, whose signature is good, expires, in milliseconds since the epoch. Throws a Fault. */
function expiryOf(claims: object): number {
  const { aud, exp, nbf } = claims as Record<string, unknown>;
  // Numbers as strings are in use.
  const expiry = Number(exp ?? NaN) * 1000;
  if (!Number.isFinite(expiry))
    throw new Fault(ErrorCode.TOKEN_INVALID, 'The token does not say when it expires.');
  if (Date.now() >= expiry) throw expired(expiry);
  const early = nbf !== undefined && !(Date.now() >= Number(nbf) * 1000);
  const foreign = aud !== undefined && ![aud].flat().includes(product);
  if (early) throw new Fault(ErrorCode.TOKEN_NOT_VALID, 'The token is not valid yet; are the clocks right?');
  if (foreign) throw new Fault(ErrorCode.TOKEN_NOT_VALID, `The token is not made out to "${product}".`);
  return expiry;
}
