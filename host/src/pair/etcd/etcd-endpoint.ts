import { X509Certificate } from 'node:crypto';
import type { Agent, IncomingMessage, request, RequestOptions } from 'node:http';

/** PEM texts. */
export interface EtcdTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What etcd's JSON gateway answers: 64-bit numbers as texts, bytes in base64, and fields that are zero left out. */
export interface Answer {
  readonly header?: { readonly revision?: string };
  readonly kvs?: readonly {
    readonly key?: string;
    readonly value?: string;
    readonly create_revision?: string;
    readonly lease?: string;
  }[];
  readonly count?: string;
  readonly succeeded?: boolean;
  readonly TTL?: string;
  readonly responses?: readonly { readonly response_range?: Answer }[];
  readonly ID?: string;
  readonly result?: { readonly TTL?: string };
  readonly version?: string;
  readonly errors?: readonly string[];
}

/** Codes of gRPC by which etcd refuses the request itself, whichever member is asked. Any other code is a problem of the member. */
const refusals: Readonly<Record<number, string>> = {
  3: 'INVALID_ARGUMENT',
  5: 'NOT_FOUND',
  7: 'PERMISSION_DENIED',
  8: 'RESOURCE_EXHAUSTED',
  9: 'FAILED_PRECONDITION',
  11: 'OUT_OF_RANGE',
  12: 'UNIMPLEMENTED',
  16: 'UNAUTHENTICATED',
};

/** etcd refused a request. */
export class Refused extends Error {
  /** The name that gRPC gives the reason, such as `NOT_FOUND`. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** A member gave no good answer. */
export class Unanswered extends Error {
  /** The request may have reached the member, and be done. */
  readonly mayBeDone: boolean;

  constructor(message: string, mayBeDone: boolean) {
    super(message);
    this.mayBeDone = mayBeDone;
  }
}

/** Most bytes of an answer: about ten of the largest values that etcd takes, in base64. */
const mostBytes = 24 << 20;

/** A member that hangs holds this many connections at most. */
const sockets = { keepAlive: true, maxSockets: 8, maxFreeSockets: 2 };

/** One member of etcd. */
export class EtcdEndpoint {
  readonly #url: URL;
  readonly #timeout: number;
  readonly #isSecure: boolean;
  #agent: Agent;
  #certificate: string | undefined;
  readonly #request: typeof request;

  /** `timeout`: milliseconds for a whole request. */
  constructor(url: string, timeout: number, tls: EtcdTls = {}) {
    this.#url = new URL(url);
    this.#timeout = timeout;
    // Loaded here alone: a gateway without etcd, or without TLS to it, does not need them.
    this.#isSecure = this.#url.protocol === 'https:';
    this.#request = process.getBuiltinModule(this.#isSecure ? 'node:https' : 'node:http').request;
    this.#agent = this.#agentOf(tls);
    this.#certificate = tls.cert;
  }

  /** New connections are made with these files; what is under way on the others may end. */
  secure(tls: EtcdTls): void {
    const before = this.#agent;
    this.#certificate = tls.cert;
    this.#agent = this.#agentOf(tls);
    setTimeout(() => before.destroy(), 10 * this.#timeout).unref();
  }

  #agentOf(tls: EtcdTls): Agent {
    if (!this.#isSecure) return new (process.getBuiltinModule('node:http').Agent)(sockets);
    return new (process.getBuiltinModule('node:https').Agent)({ ...sockets, ...tls });
  }

  /** That the certificate of this gateway is too old or too young: a member says no more than that it is bad. */
  #endedCertificate(): string | undefined {
    if (this.#certificate === undefined) return undefined;
    const { validFromDate: from, validToDate: until } = new X509Certificate(this.#certificate);
    const now = new Date();
    if (now >= from && now <= until) return undefined;
    const what = now < from ? `begins on ${from.toISOString()}` : `ended on ${until.toISOString()}`;
    return `the certificate by which etcd knows this gateway, that of --pair-cert, ${what}`;
  }

  get origin(): string {
    return this.#url.origin;
  }

  /** Rejects with `Refused` or `Unanswered`. */
  ask(path: string, body: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let mayBeDone = false;
      const fail = (reason: string): void => {
        clearTimeout(timer);
        reject(new Unanswered(`${this.#url.origin} ${reason}`, mayBeDone));
        sent.destroy();
      };
      const options: RequestOptions = {
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      };
      const sent = this.#request(new URL(path, this.#url), options, (response) => {
        read(response, fail, (text) => {
          clearTimeout(timer);
          try {
            resolve(answerOf(response.statusCode ?? 0, text));
          } catch (error) {
            if (error instanceof Refused) reject(error);
            else fail(error instanceof Error ? error.message : String(error));
          }
        });
      });
      const timer = setTimeout(() => fail(`gave no answer in ${this.#timeout} ms`), this.#timeout);
      sent.on('socket', (socket) => {
        if (!socket.connecting) mayBeDone = true;
        // A TLS handshake that fails after this leaves it true, which is safe.
        else socket.once('connect', () => (mayBeDone = true));
      });
      sent.on('error', (error: NodeJS.ErrnoException) =>
        fail(`cannot be asked (${this.#endedCertificate() ?? error.code ?? error.message})`),
      );
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function read(response: IncomingMessage, fail: (reason: string) => void, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > mostBytes) fail(`answered with more than ${mostBytes} bytes`);
    else chunks.push(chunk);
  });
  response.on('error', (error) => fail(`broke its answer off (${error.message})`));
  response.on('end', () => done(Buffer.concat(chunks).toString()));
}

/** Throws `Refused`, or an error that completes the sentence "The member …". */
function answerOf(status: number, text: string): Answer {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error(`answered ${status} without JSON`);
  }
  if (typeof parsed !== 'object' || parsed === null)
    throw new Error(`answered ${status} without a JSON object`);
  // A stream, such as that of renewals, wraps its error and answers 200.
  const trouble = 'error' in parsed ? errorOf(parsed) : undefined;
  if (trouble === undefined && status === 200) return parsed;
  const { code = 0, message = `status ${status}` } = trouble ?? {};
  const refusal = refusals[code];
  if (refusal !== undefined) throw new Refused(`etcd refused: ${message}.`, refusal);
  throw new Error(`answered "${message}"`);
}

function errorOf(parsed: object): { code?: number; message?: string } {
  const { error } = parsed as { error: unknown };
  const source = (typeof error === 'object' && error !== null ? error : parsed) as Record<string, unknown>;
  const code = source['code'] ?? source['grpc_code'];
  const message = source['message'] ?? source['error'];
  return {
    ...(typeof code === 'number' && { code }),
    ...(typeof message === 'string' && { message }),
  };
}
