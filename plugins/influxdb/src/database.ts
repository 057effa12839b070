import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Clock, ConnectionTest } from '@tagway/sdk';
import {
  type Batch,
  type Loss,
  Refusal,
  sendHalved,
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
} from '@tagway/store/http';
import { partialLosses } from './answers.ts';
import type { Settings } from './settings.ts';
import { splitLines } from './split.ts';
import { StoreKind, stores } from './stores.ts';

const compressed = promisify(gzip);

/** What to do about a status that says something about the login or the place, and nothing about the lines. */
const advice: ReadonlyMap<number, string> = new Map([
  [401, 'Check the login in the settings.'],
  [403, 'The login of the settings has no right to write there.'],
  [
    404,
    'Check "url" and "store", and whether the database or bucket of the settings is there: nothing creates it but you.',
  ],
  [405, 'Check "url" and "store".'],
]);

/** A store that takes line protocol over HTTP. */
export class Database implements Store {
  readonly name: string;
  readonly #settings: Settings;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #http: HttpClient;
  readonly #path: string;

  constructor(settings: Settings, clock: Pick<Clock, 'now'>) {
    this.#settings = settings;
    this.#clock = clock;
    const tls = {
      ...tlsOptions(settings),
      ...(settings['any-certificate'] && { rejectUnauthorized: false }),
    };
    const url = new URL(settings.url);
    this.#http = new HttpClient({ url, tls, proxy: settings.proxy ? new URL(settings.proxy) : undefined });
    this.name = `the store at ${this.#http.name}`;
    this.#path = `${url.pathname.replace(/\/$/, '')}${pathOf(settings)}`;
  }

  async send({ records }: Batch, signal: AbortSignal): Promise<readonly Loss[]> {
    const losses: Loss[] = [];
    const answer = await this.#write(
      records.map(({ data }) => data),
      signal,
    );
    if (this.#judge(answer, losses)) return losses;
    const lines = records.flatMap(({ data }) => splitLines(data));
    if (this.#settings.store === StoreKind.INFLUXDB_1 && answer.text.includes('unable to parse')) {
      // It keeps the lines that it understands, and then calls that a partial write: it has understood none.
      losses.push({ count: lines.length, reason: `${answered(answer)}.` });
      return losses;
    }
    const write = async (part: readonly Uint8Array[]): Promise<void> => {
      const reply = part.length === lines.length ? answer : await this.#write(part, signal);
      if (!this.#judge(reply, losses)) throw new Refusal(`${answered(reply)}.`);
    };
    await sendHalved(lines, write, (refused, reason) =>
      losses.push({
        count: refused.length,
        reason: `of ${Buffer.from(refused[0]!).toString().trim().slice(0, 200)}: ${reason}`,
      }),
    );
    return losses;
  }

  shown(record: Uint8Array): ShownMessage {
    return { topic: `POST ${this.#path}`, data: record };
  }

  disconnect(): void {
    this.#http.close();
  }

  /** Writes no line at all. */
  async tryWrite({ step, signal }: Pick<ConnectionTest<Settings>, 'step' | 'signal'>): Promise<void> {
    const answer = await this.#write([], signal, step);
    step('login');
    if (answer.status === 401) this.#judge(answer, []);
    step('rights');
    if (answer.status === 403) this.#judge(answer, []);
    step('write');
    // Some stores refuse a body without lines only after everything else was found right.
    if (answer.status === 400 && /no (data|points|lines)|empty|requires points|EOF/i.test(answer.text))
      return;
    if (!this.#judge(answer, [])) throw new Error(`A write of nothing was refused: ${answered(answer)}.`);
  }

  /** Whether the store has the lines, but for the losses. False: it refuses them. Throws when it may take them later. */
  #judge(answer: HttpAnswer, losses: Loss[]): boolean {
    const { status } = answer;
    if (status >= 200 && status < 300) return true;
    if (status === 400 || status === 422) {
      const partial = partialLosses(answer);
      losses.push(...(partial ?? []));
      return partial !== undefined;
    }
    if (status === 413) return false;
    throw new Unavailable(`${answered(answer)}. ${advice.get(status) ?? ''}`.trim(), {
      step: 'first answer',
      retryAfter: retryAfter(answer, this.#clock.now()),
    });
  }

  async #write(
    lines: readonly Uint8Array[],
    signal: AbortSignal,
    onStep?: HttpRequest['onStep'],
  ): Promise<HttpAnswer> {
    const settings = this.#settings;
    const body = settings.gzip
      ? [await compressed(Buffer.concat(lines), { level: constants.Z_BEST_SPEED })]
      : lines;
    return await this.#http.request({
      method: 'POST',
      path: this.#path,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        ...(settings.gzip && { 'content-encoding': 'gzip' }),
        ...loginOf(settings),
      },
      body,
      signal,
      ...(onStep !== undefined && { onStep }),
    });
  }
}

/** The path of a write, with the place and the unit of the times. */
export function pathOf(settings: Settings): string {
  const { store, precision, database, retention, org, bucket } = settings;
  const { path, precisions } = stores[store]!;
  const given = { org, bucket, db: database, rp: retention };
  const query = new URLSearchParams(
    Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''),
  );
  query.set('precision', precisions[precision]);
  if (store === StoreKind.INFLUXDB_3) query.set('accept_partial', 'true');
  return `${path}?${query.toString()}`;
}

function loginOf({ store, token, username, password = '' }: Settings): Readonly<Record<string, string>> {
  if (token) return { authorization: `${stores[store]!.scheme} ${token}` };
  return username ? { authorization: basic(username, password) } : {};
}
