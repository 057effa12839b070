import type { ConnectionTest } from '@tagway/sdk';
import { Refusal, tlsOptions, Unavailable } from '@tagway/store';
import { answered, HttpClient, retryAfter } from '@tagway/store/http';
import type { Message } from './outbox.ts';
import { HookFormat, type Settings } from './settings.ts';

/** Statuses that say something about the sender, the address or the time, and nothing about what was sent. */
const again: ReadonlyMap<number, string> = new Map([
  [401, 'Check "webhook_token".'],
  [403, 'Check "webhook" and "webhook_token".'],
  [404, 'Check "webhook".'],
  [405, 'Check "webhook": it takes no POST.'],
  [408, ''],
  [410, 'Check "webhook".'],
  [425, ''],
  [429, ''],
]);

/** Posts messages to a webhook. */
export class Hook {
  readonly #settings: Settings;
  readonly #client: HttpClient;
  /** Scheme and host alone: the path of a chat's webhook is a secret. */
  readonly #name: string;

  constructor(settings: Settings) {
    this.#settings = settings;
    const url = new URL(settings.webhook ?? '');
    this.#client = new HttpClient({ url, tls: tlsOptions(settings) });
    this.#name = `${url.protocol}//${url.host}`;
  }

  /** Rejects with Unavailable when it may be taken later, and with a Refusal when it never is. */
  async send({ id, body }: Message, signal: AbortSignal): Promise<void> {
    const type = this.#settings.webhook_format === HookFormat.TEXT ? 'text/plain' : 'application/json';
    const answer = await this.#client.request({
      method: 'POST',
      headers: {
        'content-type': `${type}; charset=utf-8`,
        'idempotency-key': id,
        ...this.#login(),
      },
      body: [Buffer.from(body)],
      signal: AbortSignal.any([signal, AbortSignal.timeout(this.#settings.timeout)]),
    });
    const { status } = answer;
    if (status >= 200 && status < 300) return;
    const advice = again.get(status);
    if (status >= 400 && status < 500 && advice === undefined)
      throw new Refusal(`of ${this.#name}: ${answered(answer)}`);
    throw new Unavailable(
      `${this.#name} does not take messages: ${answered(answer)}. ${advice ?? ''}`.trim(),
      {
        step: 'first answer',
        retryAfter: retryAfter(answer, Date.now()),
      },
    );
  }

  /** Asks for the options of the webhook, which posts nothing. */
  async test({ signal, step }: Pick<ConnectionTest<Settings>, 'signal' | 'step'>): Promise<void> {
    const answer = await this.#client.request({
      method: 'OPTIONS',
      headers: this.#login(),
      signal,
      onStep: step,
    });
    step('login');
    if (answer.status === 401) throw new Error(`${this.#name}: ${answered(answer)}. ${again.get(401)!}`);
    step('rights');
    if (answer.status === 403) throw new Error(`${this.#name}: ${answered(answer)}. ${again.get(403)!}`);
  }

  close(): void {
    this.#client.close();
  }

  #login(): Readonly<Record<string, string>> {
    const { webhook_token: token = '' } = this.#settings;
    return token === '' ? {} : { authorization: `Bearer ${token}` };
  }
}
