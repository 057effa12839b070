import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, constants } from 'node:zlib';
import type { Clock, ConnectionTest } from '@tagway/sdk';
import {
  type Batch,
  type Loss,
  Refusal,
  type ShownMessage,
  type Store,
  tlsOptions,
  Unavailable,
} from '@tagway/store';
import {
  answered,
  basic,
  type HttpAnswer,
  HttpClient,
  type HttpRequest,
  retryAfter,
  Tokens,
} from '@tagway/store/http';
import { contentType, framed } from './framing.ts';
import { Auth, Framing, type Settings } from './settings.ts';

const compressed = promisify(gzip);

/** Statuses that say something about the sender, the address or the time, and nothing about what was sent: it is sent again. */
const again: ReadonlyMap<number, string> = new Map([
  [401, 'Check the login in the settings.'],
  [403, 'The login of the settings has no right to post here.'],
  [404, 'Check "url".'],
  [405, 'Check "url": it takes no POST.'],
  [407, 'Write user and password of the proxy into "proxy".'],
  [408, ''],
  [410, 'Check "url".'],
  [425, ''],
  [429, ''],
]);

/** The server finds a request too large. */
class TooLarge extends Refusal {}

type ServerClock = Pick<Clock, 'now' | 'monotonic'>;

/** An HTTP server that batches are posted to. */
export class Server implements Store {
  readonly name: string;
  readonly #settings: Settings;
  readonly #clock: ServerClock;
  readonly #http: HttpClient;
  readonly #tokens: Tokens | undefined;
  /** What every request has. */
  readonly #headers: Readonly<Record<string, string>>;

  constructor(settings: Settings, clock: ServerClock) {
    this.#settings = settings;
    this.#clock = clock;
    const tls = {
      ...tlsOptions(settings),
      ...(settings['any-certificate'] && { rejectUnauthorized: false }),
    };
    const proxy = settings.proxy ? new URL(settings.proxy) : undefined;
    this.#http = new HttpClient({ url: new URL(settings.url), tls, proxy });
    this.name = `the server at ${this.#http.name}`;
    if (settings.auth === Auth.OAUTH2) this.#tokens = Tokens.of(settings, { tls, proxy }, clock);
    this.#headers = {
      'content-type': contentType(settings),
      ...(settings.gzip && { 'content-encoding': 'gzip' }),
      ...loginOf(settings),
    };
  }

  /** Posts a batch of nothing, or asks for the options where each sample is a request of its own. */
  async tryPost({ step, signal }: Pick<ConnectionTest<Settings>, 'step' | 'signal'>): Promise<void> {
    const isAsked = this.#settings.framing === Framing.ONE_BY_ONE;
    const answer = await this.#answer('test', framed([], this.#settings.framing), signal, {
      method: isAsked ? 'OPTIONS' : 'POST',
      onStep: step,
    });
    step('login');
    if (answer.status === 401 || answer.status === 407) this.#judge(answer);
    step('rights');
    if (answer.status === 403) this.#judge(answer);
    if (isAsked) return;
    step('write');
    try {
      this.#judge(answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Error(
        `A batch of nothing was refused, because ${error.message}. Samples may be taken all the same.`,
      );
    }
  }

  async send({ id, records }: Batch, signal: AbortSignal): Promise<readonly Loss[]> {
    const losses: Loss[] = [];
    const bodies = records.map(({ data }) => data);
    if (this.#settings.framing === Framing.ONE_BY_ONE)
      for (const [index, body] of bodies.entries())
        await this.#sendPart(`${id}-${index}`, [body], losses, signal);
    else await this.#sendPart(id, bodies, losses, signal);
    return losses;
  }

  shown(record: Uint8Array): ShownMessage {
    return { topic: `POST ${this.#settings.url}`, data: record };
  }

  disconnect(): void {
    this.#http.close();
    this.#tokens?.close();
  }

  /** Posts samples, in halves where the server finds them too large. The parts of a batch always have the same ids. */
  async #sendPart(
    id: string,
    bodies: readonly Uint8Array[],
    losses: Loss[],
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#post(id, framed(bodies, this.#settings.framing), signal);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error instanceof TooLarge && bodies.length > 1) {
        const middle = bodies.length >>> 1;
        await this.#sendPart(`${id}.1`, bodies.slice(0, middle), losses, signal);
        await this.#sendPart(`${id}.2`, bodies.slice(middle), losses, signal);
      } else {
        losses.push({ count: bodies.length, reason: error.message });
      }
    }
  }

  async #post(id: string, plain: readonly Uint8Array[], signal: AbortSignal): Promise<void> {
    this.#judge(await this.#answer(id, plain, signal));
  }

  async #answer(
    id: string,
    plain: readonly Uint8Array[],
    signal: AbortSignal,
    more: Pick<HttpRequest, 'onStep'> & { readonly method?: string } = {},
  ): Promise<HttpAnswer> {
    const settings = this.#settings;
    const body = settings.gzip
      ? [await compressed(Buffer.concat(plain), { level: constants.Z_BEST_SPEED })]
      : plain;
    const tokens = this.#tokens;
    const send = (token?: string): Promise<HttpAnswer> =>
      this.#http.request({
        method: 'POST',
        headers: {
          ...this.#headers,
          'idempotency-key': id,
          ...(settings['hmac-key'] && { 'x-signature': this.#signature(settings['hmac-key'], body) }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body,
        signal,
        ...more,
      });
    if (tokens === undefined) return send();
    const answer = await send(await tokens.get(signal));
    if (answer.status !== 401) return answer;
    // The server may have ended the token before its time.
    tokens.forget();
    return send(await tokens.get(signal));
  }

  #judge(answer: HttpAnswer): void {
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return;
    const text = `${this.name.replace(/^the server at /, '')}: ${answered(answer)}`;
    if (status === 413) throw new TooLarge(`of ${text}`);
    const advice = again.get(status);
    if (status >= 400 && status < 500 && advice === undefined) throw new Refusal(`of ${text}`);
    const moved =
      status >= 300 && status < 400
        ? `It is elsewhere: set "url" to ${headers.location ?? 'the address where it is now'}.`
        : '';
    throw new Unavailable(`${answered(answer)}. ${advice ?? moved}`.trim(), {
      step: 'first answer',
      retryAfter: retryAfter(answer, this.#clock.now()),
    });
  }

  /** When the request was signed, in seconds, and the HMAC of that, a dot and the body as it is sent. */
  #signature(key: string, body: readonly Uint8Array[]): string {
    const time = Math.floor(this.#clock.now() / 1000);
    const hmac = createHmac('sha256', key).update(`${time}.`);
    for (const part of body) hmac.update(part);
    return `t=${time},v1=${hmac.digest('hex')}`;
  }
}

/** The header of a login that stays the same. */
function loginOf({
  auth,
  username = '',
  password = '',
  token = '',
  header = '',
  'header-value': value = '',
}: Settings): Readonly<Record<string, string>> {
  switch (auth) {
    case Auth.BASIC:
      return { authorization: basic(username, password) };
    case Auth.BEARER:
      return { authorization: `Bearer ${token}` };
    case Auth.HEADER:
      return { [header]: value };
    default:
      return {};
  }
}
