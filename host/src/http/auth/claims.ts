import type { KeyObject } from 'node:crypto';
import { ErrorCode } from '@tagway/schemas';
import type { Way } from '../../core/sign-in/sign-in.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** Issuer and audience of the tokens. */
export const product = 'tagway';

/** What a token says. */
export interface Claims {
  readonly issuer: string;
  /** The gateway issued it. */
  readonly isOwn: boolean;
  readonly user: string | undefined;
  /** Of the user, see `UserRecord`. */
  readonly generation: string | undefined;
  /** Unchecked, as the issuer wrote it. */
  readonly role: unknown;
  /** Of a token of the gateway itself: who has vouched for a user that is not kept here. */
  readonly way: Way | undefined;
}

/** A token whose signature and times are good. */
export interface VerifiedToken {
  readonly claims: Claims;
  /** Milliseconds since the epoch. */
  readonly expiry: number;
  /** The key of its issuer that fits its signature. */
  readonly key: KeyObject;
}

/** Throws TOKEN_INVALID when the name of the user is not a text. A token of the gateway itself without a name belongs to the first user. */
export function claimsOf(content: object): Claims {
  const { user, generation, role, way } = content as Record<string, unknown>;
  if (user !== undefined && typeof user !== 'string')
    throw new Refusal(ErrorCode.TOKEN_INVALID, sentence`The token does not say whose it is.`);
  const issuer = issuerOf(content);
  return {
    issuer,
    isOwn: issuer === product,
    user,
    role,
    way: way === 'ldap' || way === 'oidc' ? way : undefined,
    generation: typeof generation === 'string' ? generation : undefined,
  };
}

/** Empty when the claims, which are not verified yet, name no issuer. */
export function issuerOf(claims: unknown): string {
  const { iss } = (claims ?? {}) as { iss?: unknown };
  return typeof iss === 'string' ? iss : '';
}

/** When a token with these claims expires, in milliseconds since the epoch. Throws a Fault when its times or its audience are not good. */
export function expiryOf(claims: object): number {
  const { aud, exp, nbf } = claims as Record<string, unknown>;
  // Numbers as strings are in use.
  const expiry = Number(exp ?? NaN) * 1000;
  if (!Number.isFinite(expiry))
    throw new Refusal(ErrorCode.TOKEN_INVALID, sentence`The token does not say when it expires.`);
  checkExpiry(expiry);
  const early = nbf !== undefined && !(Date.now() >= Number(nbf) * 1000);
  const foreign = aud !== undefined && ![aud].flat().includes(product);
  if (early)
    throw new Refusal(ErrorCode.TOKEN_NOT_VALID, sentence`The token is not valid yet; are the clocks right?`);
  if (foreign)
    throw new Refusal(ErrorCode.TOKEN_NOT_VALID, sentence`The token is not made out to "${product}".`);
  return expiry;
}

/** Throws TOKEN_EXPIRED. */
export function checkExpiry(expiry: number): void {
  if (Date.now() < expiry) return;
  // An issuer may have written any number, and dates end somewhere.
  const isDate = Math.abs(expiry) <= 8.64e15;
  throw new Refusal(
    ErrorCode.TOKEN_EXPIRED,
    isDate
      ? sentence`The token of the header "Authorization" expired on ${new Date(expiry).toISOString()}; POST /api/v2/login gives a new one.`
      : sentence`The token of the header "Authorization" expired; POST /api/v2/login gives a new one.`,
  );
}
