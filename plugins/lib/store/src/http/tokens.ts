import type { Clock } from '@tagway/sdk';
import { Unavailable } from '../store.ts';
import { basic } from './addresses.ts';
import { answered } from './answers.ts';
import { HttpClient, type HttpServer } from './http-client.ts';

/** The settings of a login by OAuth2, the same in every app that has it. */
export interface OAuthSettings {
  readonly 'token-url'?: string;
  readonly 'oauth-client'?: string;
  readonly 'client-secret'?: string;
  readonly scope?: string;
}

/** What the token server knows the node by. */
interface ClientCredentials {
  readonly client: string;
  readonly secret: string;
  readonly scope: string | undefined;
}

/** Seconds before its end at which a token is renewed, and for how long one is good that does not say it. */
const early = 30;
const unsaid = 300;

/** Access tokens of OAuth2 for a client with credentials of its own (RFC 6749, section 4.4), each used until shortly before its end. */
export class Tokens {
  readonly #http: HttpClient;
  readonly #credentials: ClientCredentials;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #token: string | undefined;
  #until = 0;

  private constructor(http: HttpClient, credentials: ClientCredentials, clock: Pick<Clock, 'monotonic'>) {
    this.#http = http;
    this.#credentials = credentials;
    this.#clock = clock;
  }

  /** The tokens of a node by its settings, asked for in the way that `server` says. */
  static of(
    settings: OAuthSettings,
    server: Omit<HttpServer, 'url'>,
    clock: Pick<Clock, 'monotonic'>,
  ): Tokens {
    const { 'oauth-client': client = '', 'client-secret': secret = '', scope } = settings;
    const http = new HttpClient({ ...server, url: new URL(settings['token-url'] ?? '') });
    return new Tokens(http, { client, secret, scope }, clock);
  }

  /** The server of the samples does not take the token: the next one is a new one. */
  forget(): void {
    this.#token = undefined;
  }

  async get(signal: AbortSignal): Promise<string> {
    if (this.#token !== undefined && this.#clock.monotonic() < this.#until) return this.#token;
    const { client, secret, scope } = this.#credentials;
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope ? { scope } : {}) });
    const asked = this.#clock.monotonic();
    const answer = await this.#http.request({
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        authorization: basic(encoded(client), encoded(secret)),
      },
      body: [Buffer.from(form.toString())],
      signal,
    });
    const reply = answer.status === 200 ? parsed(answer.text) : undefined;
    const token = reply?.['access_token'];
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
      throw new Unavailable(
        `The token server ${this.#http.name} gives no token: ${answered(answer)} Check "token-url", "oauth-client", "client-secret" and "scope".`,
        { step: 'first answer' },
      );
    const seconds = Number(reply?.['expires_in'] ?? unsaid);
    const good = Number.isFinite(seconds) && seconds > 0 ? seconds : unsaid;
    this.#until = asked + Math.max(good - early, good / 2) * 1000;
    this.#token = token;
    return token;
  }

  close(): void {
    this.#http.close();
  }
}

function encoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
