import { readFile } from 'node:fs/promises';
import type { Agent, IncomingMessage, request } from 'node:http';
import type { OtlpConfig } from '../config/otlp-option.ts';
import { sentenceOf, systemReason } from '../core/system/system-error.ts';
import { adviceFor, type Advice, redirectTo } from './advice.ts';

/** What came of a request. */
export type Outcome =
  /** `answer`: what the collector says of it in protobuf, if it is short enough to be read. */
  | { readonly kind: 'taken'; readonly answer: Uint8Array | undefined }
  /** The same request may be taken later; `after`: milliseconds that the collector asks for. */
  | ({ readonly kind: 'later'; readonly after?: number } & Advice)
  | ({ readonly kind: 'refused'; readonly status: number } & Advice);

/** Bytes of an answer that are read. */
const answerMost = 64 << 10;
/** Statuses after which the specification of OTLP lets a client try again. */
const temporary = new Set([429, 502, 503, 504]);

/** What a request needs of files, which are read anew each time: tokens and certificates are renewed while the gateway runs. */
interface Files {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Readonly<Partial<Record<'ca' | 'cert' | 'key', Buffer>>>;
}

/** Sends requests of OTLP over HTTP, over connections that are kept. */
export class Collector {
  readonly #config: OtlpConfig;
  readonly #agent: Agent;
  readonly #request: typeof request;

  constructor(config: OtlpConfig) {
    this.#config = config;
    const isSecure = config.endpoint.startsWith('https:');
    const http = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
    this.#agent = new http.Agent({ keepAlive: true });
    this.#request = http.request;
  }

  /** Rejects, with a sentence, when a file of the options cannot be used. */
  async check(): Promise<void> {
    await this.#files();
  }

  /** `path` is that of the signal. Never rejects. `ending` gives the request up. */
  async send(path: string, body: Uint8Array, ending: AbortSignal): Promise<Outcome> {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(this.#config.timeout * 1000)]);
    let files: Files;
    try {
      files = await this.#files();
    } catch (error) {
      return { kind: 'later', reason: 'a file of its options is not good', advice: sentenceOf(error) };
    }
    // A connection that was kept may have been closed by the other side at the same moment: that is no outage.
    return (
      (await this.#post(path, body, files, signal)) ?? (await this.#post(path, body, files, signal, true))!
    );
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Undefined when a kept connection turned out to be closed, unless `isAgain`. */
  #post(
    path: string,
    body: Uint8Array,
    files: Files,
    signal: AbortSignal,
    isAgain = false,
  ): Promise<Outcome | undefined> {
    const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
    const { endpoint, timeout, compression } = this.#config;
    const headers = {
      ...files.headers,
      'content-type': 'application/x-protobuf',
      'content-length': String(body.length),
      ...(compression === 'gzip' && { 'content-encoding': 'gzip' }),
    };
    const request = this.#request(
      `${endpoint}/${path}`,
      { method: 'POST', headers, signal, agent: this.#agent, ...files.tls },
      (response) => {
        this.#read(response, path).then(resolve, failed);
      },
    );
    const failed = (error: NodeJS.ErrnoException): void => {
      if (request.reusedSocket && error.code === 'ECONNRESET' && !isAgain) return resolve(undefined);
      const isLate = error.name === 'AbortError' || error.name === 'TimeoutError';
      resolve({
        kind: 'later',
        reason: isLate ? `it did not answer within ${timeout} s` : systemReason(error),
        advice: adviceFor(error),
      });
    };
    request.on('error', failed);
    request.end(body);
    return promise;
  }

  /** The status decides. An answer that is too long or does not end is given up together with its connection. */
  async #read(response: IncomingMessage, path: string): Promise<Outcome> {
    const { statusCode: status = 0, headers } = response;
    if (status >= 200 && status < 300) {
      const answer = await beginningOf(response);
      const isProtobuf = /^application\/x-protobuf/i.test(headers['content-type'] ?? '');
      return { kind: 'taken', answer: isProtobuf ? answer : undefined };
    }
    // What a refusal says is not used, so that no text of a stranger gets into the log.
    response.destroy();
    const reason = `it answered with status ${status}`;
    if (temporary.has(status)) {
      const after = retryAfterOf(headers['retry-after']);
      return { kind: 'later', reason, advice: adviceFor(status), ...(after !== undefined && { after }) };
    }
    if (status >= 300 && status < 400)
      return { kind: 'refused', status, ...redirectTo(headers.location, path) };
    return { kind: 'refused', status, reason, advice: adviceFor(status) };
  }

  async #files(): Promise<Files> {
    const { headers, ca, cert, key } = this.#config;
    return {
      headers: headers === undefined ? {} : headersIn(await readFile(headers, 'utf8'), headers),
      tls: {
        ...(ca !== undefined && { ca: await readFile(ca) }),
        ...(cert !== undefined && { cert: await readFile(cert) }),
        ...(key !== undefined && { key: await readFile(key) }),
      },
    };
  }
}

/** The body of an answer; undefined when it is too long, or is broken off: with a good status the request was taken all the same. */
async function beginningOf(response: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > answerMost) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Milliseconds of a header in either of its forms. */
function retryAfterOf(header = ''): number | undefined {
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function headersIn(text: string, file: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e]+)$/.exec(line) ?? [];
    // The line itself stays out of the message: it may hold a password.
    if (name === undefined || value === undefined)
      throw new Error(`Line ${index + 1} of ${file} is no header such as "Authorization: Bearer abc".`);
    headers[name.toLowerCase()] = value.trimEnd();
  }
  return headers;
}
