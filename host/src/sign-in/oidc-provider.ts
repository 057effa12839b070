import { ErrorCode, type OidcSettings } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import * as client from 'openid-client';
import type { IdentityProvider, ProviderClaims, ProviderLogin } from '../core/ports/sign-in.ts';
import { BoundedMap } from '../core/system/bounded-map.ts';
import { Refusal, sentence, type Sentence } from '../core/system/sentence.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { ProviderKeys } from './provider-keys.ts';
import { invalid } from './refusals.ts';

/** Signatures by a key that the provider keeps to itself. None and those by a shared secret, HS256 among them, are not. */
const algorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const),
  ...(['EdDSA', 'Ed25519'] as const),
];
/** Seconds by which clocks may differ. */
const usualSkew = 30;
/** Milliseconds after which the addresses of the provider are looked up again, and after a failure. */
const knownFor = 3_600_000;
const pause = 5000;
/** Verified tokens that are remembered. */
const mostRemembered = 1000;
/** Longest token that is looked at. */
const longestToken = 16_384;

interface Verified {
  readonly claims: JWTPayload;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Of the keys. */
  readonly version: string;
}

/** A provider of OpenID Connect, found by its discovery document. */
export class OidcProvider implements IdentityProvider {
  readonly #settings: OidcSettings;
  readonly #fetch: ReturnType<typeof boundedFetch>;
  readonly #keys: ProviderKeys;
  readonly #verified = new BoundedMap<string, Verified>(mostRemembered);
  #configuration: Promise<client.Configuration> | undefined;
  #configuredAt = -Infinity;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
    this.#fetch = boundedFetch(settings.ca ?? '');
    this.#keys = new ProviderKeys(() => this.#publishedKeys());
  }

  async begin({ page, state, nonce, verifier }: ProviderLogin): Promise<string> {
    const configuration = await this.#configured();
    const { scopes = '' } = this.#settings;
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: page,
      scope: scopes === '' ? 'openid profile' : scopes,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    }).href;
  }

  async finish(
    { page, state, nonce, verifier }: ProviderLogin,
    answer: string,
  ): Promise<{ readonly claims: ProviderClaims; readonly logout?: string }> {
    const configuration = await this.#configured();
    const url = new URL(page);
    url.search = answer;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      // The grant has looked at what the token says; who has signed it counts too, whatever TLS has shown.
      const { claims } = await this.#verify(tokens.id_token ?? '', this.#settings.client_id);
      const { end_session_endpoint: ending } = configuration.serverMetadata();
      const logout = ending === undefined ? undefined : this.#logout(configuration, page);
      return { claims, ...(logout !== undefined && { logout }) };
    } catch (error) {
      throw ofGrant(error);
    }
  }

  async verify(token: string): Promise<ProviderClaims> {
    const known = this.#known(token);
    // Keys that were withdrawn are noticed also when nobody brings a new token.
    await this.#keys.load();
    if (known?.version === this.#keys.version) return known.claims;
    const { client_id, audience = '' } = this.#settings;
    const verified = await this.#verify(token, audience === '' ? client_id : audience);
    this.#verified.set(token, verified);
    return verified.claims;
  }

  isKnown(token: string): boolean {
    return this.#known(token) !== undefined;
  }

  async check(): Promise<number> {
    await this.#configured();
    await this.#keys.load();
    return this.#keys.size;
  }

  #known(token: string): Verified | undefined {
    const known = this.#verified.get(token);
    return known !== undefined && Date.now() < known.until ? known : undefined;
  }

  async #verify(token: string, audience: string): Promise<Verified> {
    const { issuer, clock_skew: skew = usualSkew } = this.#settings;
    if (token.length > longestToken) throw undecodable();
    try {
      const { payload } = await jwtVerify(token, this.#keys.find, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: skew,
        requiredClaims: ['exp'],
      });
      // A message about a logout is signed by the same key and is no token of a user.
      if (payload['events'] !== undefined) throw undecodable();
      return { claims: payload, until: (payload.exp! + skew) * 1000, version: this.#keys.version };
    } catch (error) {
      throw ofToken(error);
    }
  }

  #logout(configuration: client.Configuration, page: string): string {
    // Without the token of the user, which would stand in addresses: the provider asks its user.
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: page }).href;
  }

  #configured(): Promise<client.Configuration> {
    const now = performance.now();
    if (this.#configuration === undefined || now - this.#configuredAt > knownFor) {
      this.#configuredAt = now;
      const found = this.#discover();
      this.#configuration = found;
      // Who asks within the pause gets the same refusal at once.
      found.catch(() => {
        this.#configuredAt = performance.now() - knownFor + pause;
      });
    }
    return this.#configuration;
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, client_id, client_secret = '' } = this.#settings;
    const isOpen = issuer.startsWith('http:');
    try {
      const configuration = await client.discovery(
        new URL(issuer),
        client_id,
        { [client.clockTolerance]: this.#settings.clock_skew ?? usualSkew },
        client_secret === '' ? client.None() : client.ClientSecretPost(client_secret),
        {
          [client.customFetch]: this.#fetch as client.CustomFetch,
          timeout: 20,
          // The settings allow this for a provider on this machine alone.
          // eslint-disable-next-line @typescript-eslint/no-deprecated
          ...(isOpen && { execute: [client.allowInsecureRequests] }),
        },
      );
      if (configuration.serverMetadata().issuer !== issuer)
        throw invalid(
          sentence`The provider of the sign-in calls itself otherwise than its address in the settings.`,
        );
      return configuration;
    } catch (error) {
      throw (
        faultIn(error) ??
        invalid(
          sentence`What is at the address of the provider does not describe a provider of OpenID Connect. Is the address right?`,
          error,
        )
      );
    }
  }

  async #publishedKeys(): Promise<unknown> {
    const { jwks_uri: address } = (await this.#configured()).serverMetadata();
    if (address === undefined) throw invalid(sentence`The provider of the sign-in publishes no keys.`);
    const reply = await this.#fetch(address, { headers: { accept: 'application/json' } });
    try {
      if (reply.status !== 200) throw new Error(`It answers with status ${reply.status}.`);
      return await reply.json();
    } catch (cause) {
      throw invalid(sentence`The provider of the sign-in does not publish its keys as it should.`, cause);
    }
  }
}

/** A fault of ours within the errors of a library. */
function faultIn(error: unknown): Fault | undefined {
  if (isFault(error)) return error;
  return error instanceof Error && error.cause !== undefined ? faultIn(error.cause) : undefined;
}

function undecodable(cause?: unknown): Refusal {
  return new Refusal(
    ErrorCode.TOKEN_UNDECODABLE,
    sentence`The token of the provider cannot be decoded, or is not signed by a key and with an algorithm that the provider publishes.`,
    { cause },
  );
}

function ofToken(error: unknown): Fault {
  const fault = faultIn(error);
  if (fault !== undefined) return fault;
  if (error instanceof errors.JWTExpired)
    return new Refusal(
      ErrorCode.TOKEN_EXPIRED,
      sentence`The token of the provider has expired; ask it for a new one.`,
    );
  if (!(error instanceof errors.JWTClaimValidationFailed)) return undecodable(error);
  const { claim } = error;
  const reasons: Readonly<Record<string, Sentence>> = {
    aud: sentence`The token of the provider is not made out to this gateway. Ask it for one with the audience in the settings of the sign-in.`,
    nbf: sentence`The token of the provider is not valid yet; are the clocks right?`,
    exp: sentence`The token of the provider does not say when it expires.`,
  };
  const reason =
    reasons[claim] ?? sentence`The token of the provider has a claim "${claim}" that cannot be taken.`;
  return new Refusal(ErrorCode.TOKEN_NOT_VALID, reason);
}

function ofGrant(error: unknown): Fault {
  const fault = faultIn(error);
  if (fault !== undefined) return fault;
  return new Refusal(
    ErrorCode.SIGN_IN_REFUSED,
    error instanceof client.AuthorizationResponseError
      ? sentence`The provider did not sign the user in. Begin again, or ask who runs it.`
      : sentence`What came back from the provider does not belong to this sign-in, or was used already. Begin it again.`,
    { cause: error },
  );
}
