import type { Context } from '@tagway/sdk';
import {
  type ClientSecureChannelLayer,
  type ClientSession,
  MessageSecurityMode,
  OPCUAClient,
  SecurityPolicy,
  type StatusCode,
  StatusCodes,
  UserTokenType,
  type UserIdentityInfo,
} from 'node-opcua-client';
import { disconnected, malformed, noResponse } from '../faults.ts';
import { securityPolicies, type Settings } from '../settings.ts';
import { clientOptions, type Credentials } from './client-options.ts';
import { serverCertificateOf } from './endpoint.ts';
import { readLimits } from './limits.ts';
import { Refusal, Undecodable } from './refusal.ts';
import { isTooLargeStatus, type Limits, type Sizes } from './sizes.ts';
import { oneOf } from './statuses.ts';
import type { Attempt } from './wire.ts';
import { within } from './within.ts';

/** What every request and response of the library has. */
export interface Request {
  readonly requestHeader: { timeoutHint: number; requestHandle: number };
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds; default: the timeout of the settings. */
  readonly ms?: number;
  /** Publish requests wait at the server for as long as it takes; a probe is about the session, not about data. Default: data. */
  readonly role?: 'data' | 'probe' | 'publish';
}

/**
 * An inner method of the library's session, which sends a request or fails. The public method above it would do more: when
 * the server has forgotten the session it makes a new one without the subscriptions, and it holds requests back while it
 * reconnects.
 */
interface Transactions {
  _performMessageTransaction(
    request: Request,
    callback: (
      error: (Error & { readonly response?: ServiceAnswer }) | null,
      response?: ServiceAnswer,
    ) => void,
  ): void;
}

interface ServiceAnswer {
  readonly responseHeader: { readonly serviceResult: StatusCode };
}

/** A request that waits for its answer. */
interface Waiting {
  readonly request: Request;
  readonly role: NonNullable<SendOptions['role']>;
  fail(error: Error): void;
}

/** Statuses by which a server says that the session or its channel is no more. */
const isEnd = oneOf(
  StatusCodes.BadSessionIdInvalid,
  StatusCodes.BadSessionClosed,
  StatusCodes.BadSessionNotActivated,
  StatusCodes.BadSecureChannelIdInvalid,
  StatusCodes.BadSecureChannelClosed,
  StatusCodes.BadSecureChannelTokenUnknown,
  StatusCodes.BadIdentityTokenInvalid,
  StatusCodes.BadIdentityTokenRejected,
  StatusCodes.BadShutdown,
  StatusCodes.BadServerHalted,
);

/** How long closing a session may take, in milliseconds. */
const farewell = 1500;

/** How long the library keeps the place of a publish request; whoever sent it looks after it. Milliseconds. */
const publishKept = 86_400_000;

/**
 * One session with the server over one connection. The link owns it. It is never repaired: when its connection or the
 * session itself fails it is lost, and the link opens another. Every request has a deadline.
 */
export class Session {
  limits!: Limits;
  readonly sizes: Sizes;
  readonly #context: Context<Settings>;
  readonly #credentials: Credentials;
  readonly #attempt: Attempt;
  readonly #waiting = new Set<Waiting>();
  readonly #end = Promise.withResolvers<string>();
  readonly #closing = new AbortController();
  #client: OPCUAClient | undefined;
  #session: ClientSession | undefined;
  #channel: ClientSecureChannelLayer | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #lastSent = 0;
  #isLost = false;
  /** The server can still be told that the session ends. */
  #isReachable = true;

  private constructor(context: Context<Settings>, credentials: Credentials, sizes: Sizes, attempt: Attempt) {
    this.#context = context;
    this.#credentials = credentials;
    this.sizes = sizes;
    this.#attempt = attempt;
  }

  /** Rejects with what went wrong, in the library's words; `attempt` holds how far it came. */
  static async open(
    context: Context<Settings>,
    credentials: Credentials,
    sizes: Sizes,
    attempt: Attempt,
  ): Promise<Session> {
    const session = new Session(context, credentials, sizes, attempt);
    try {
      await session.#open();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { url, username = '', password = '', security_mode, security_policy } = this.#context.settings;
    const { trust } = this.#credentials;
    const modes = [MessageSecurityMode.None, MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt];
    const mode = modes[security_mode] ?? MessageSecurityMode.None;
    const policy =
      mode === MessageSecurityMode.None
        ? SecurityPolicy.None
        : SecurityPolicy[securityPolicies[security_policy] ?? 'Basic256Sha256'];
    const options = clientOptions(this.#context, this.#credentials, this.#attempt);
    const certificate =
      mode === MessageSecurityMode.None
        ? undefined
        : await this.#within(
            serverCertificateOf(url, options, { mode, policy, trust, signal: this.#closing.signal }),
          );
    const client = OPCUAClient.create({
      ...options,
      securityMode: mode,
      securityPolicy: policy,
      ...(certificate && { serverCertificate: certificate }),
    });
    this.#client = client;
    client.on('secure_channel_created', (channel) => (this.#channel = channel));
    client.on('connection_lost', () => this.#broken('the connection broke'));
    client.on('close', () => this.#broken('the connection was closed'));
    await this.#within(client.connect(url));
    this.#listen();
    const identity: UserIdentityInfo =
      username === ''
        ? { type: UserTokenType.Anonymous }
        : { type: UserTokenType.UserName, userName: username, password };
    this.#session = await this.#within(client.createSession(identity));
    this.#attempt.step = 'first answer';
    this.#session.on('session_closed', () => this.lose('the server closed the session'));
    this.limits = this.sizes.limitsOf(await readLimits(this, this.#context));
  }

  /** The library tells nobody of answers that it cannot decode, and only the channel of those that are too large for it. */
  #listen(): void {
    const builder = this.#channel?._getMessageBuilder();
    if (builder === undefined) return;
    const waitingFor = (id: number | null | undefined): Waiting | undefined =>
      [...this.#waiting].find(({ request }) => request.requestHeader.requestHandle === id);
    builder.on('invalid_message', () =>
      waitingFor(builder.sequenceHeader?.requestId)?.fail(new Undecodable()),
    );
    builder.prependListener('error', (_error, status, id) => {
      if (this.#attempt.status !== undefined) this.#broken('the server closed the connection');
      else if (isTooLargeStatus(status)) this.#tooLarge(status, waitingFor(id));
      else this.lose(`an answer of the server could not be read (${status.name})`);
    });
  }

  /** Resolves with the reason when the session is lost or closed. */
  get ended(): Promise<string> {
    return this.#end.promise;
  }

  get bytesRead(): number {
    return this.#client?.bytesRead ?? 0;
  }

  get bytesWritten(): number {
    return this.#client?.bytesWritten ?? 0;
  }

  /** After so many milliseconds without a request the server forgets the session. */
  get timeout(): number {
    return this.#session?.timeout ?? Infinity;
  }

  /** When the latest request went out, on the clock that never jumps. */
  get lastSent(): number {
    return this.#lastSent;
  }

  /** As `send`, but one after the other while care is taken, so that it is clear which answer was too large. */
  ask<Response>(request: Request, signal?: AbortSignal): Promise<Response> {
    const options = signal ? { signal } : {};
    if (!this.sizes.isCareful) return this.send<Response>(request, options);
    const answer = this.#turn.then(() => this.send<Response>(request, options));
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  /**
   * Sends a request. Rejects with DISCONNECTED when the session is or gets lost, NO_RESPONSE after `ms`, DECODE_FAILED, a `Refusal` or
   * `Undecodable`. A server that is silent altogether is taken for gone.
   */
  send<Response>(
    request: Request,
    { signal, ms = this.#context.settings.timeout, role = 'data' }: SendOptions = {},
  ): Promise<Response> {
    const session = this.#session as unknown as Transactions | undefined;
    if (this.#isLost || session === undefined) return Promise.reject(disconnected);
    if (signal?.aborted) return Promise.reject(noResponse);
    const heard = this.bytesRead;
    this.#lastSent = this.#context.clock.monotonic();
    return new Promise<Response>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (): boolean => {
        if (!this.#waiting.delete(waiting)) return false;
        clearTimeout(timer);
        signal?.removeEventListener('abort', give);
        return true;
      };
      const waiting: Waiting = {
        request,
        role,
        fail: (error) => {
          if (settle()) reject(error);
        },
      };
      const give = (): void => waiting.fail(noResponse);
      if (role !== 'publish') {
        timer = setTimeout(() => {
          give();
          if (this.bytesRead === heard) this.lose(`the server did not answer within ${ms} ms`);
        }, ms);
      }
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', give, { once: true });
      // Later than our own deadline.
      request.requestHeader.timeoutHint = role === 'publish' ? publishKept : ms + 1000;
      try {
        session._performMessageTransaction(request, (error, response) => {
          // It may be too late for an answer.
          if (!settle()) return;
          if (error === null && response !== undefined) resolve(response as Response);
          else reject(this.#failure(response ?? error?.response));
        });
      } catch {
        waiting.fail(malformed);
      }
    });
  }

  #failure(answer: ServiceAnswer | undefined): Error {
    if (answer === undefined) {
      // Without an answer the channel has failed, even if the library does not say so otherwise.
      this.#broken('a request could not be sent or its answer could not be read');
      return disconnected;
    }
    const status = answer.responseHeader.serviceResult;
    if (!isEnd(status)) return new Refusal(status);
    this.lose(`the server ended the session with ${status.name}`);
    return disconnected;
  }

  /** The connection is gone; an ERR message may have said why. */
  #broken(reason: string): void {
    const { status } = this.#attempt;
    if (status === undefined) this.lose(reason);
    else if (isTooLargeStatus(status)) this.#tooLarge(status);
    else this.lose(`the server closed the connection with ${status.name}`);
  }

  /** An answer was too large for the server or for us. Who is alone in waiting is to blame; otherwise the next session takes care. */
  #tooLarge(status: StatusCode, named?: Waiting): void {
    if (this.#isLost) return;
    const { sizes } = this;
    const data = [...this.#waiting].filter(({ role }) => role === 'data');
    const isPublishing = [...this.#waiting].some(({ role }) => role === 'publish');
    const [only] = data.length === 1 && !isPublishing ? data : [];
    const blamed = named?.role === 'data' ? named : only;
    if (blamed) blamed.fail(new Refusal(status));
    else if (isPublishing && data.length === 0 && sizes.isCareful) sizes.shrinkNotifications();
    sizes.beCareful();
    this.lose(`a message was too large (${status.name})`);
  }

  /** The session is of no use any more; whoever waits for an answer is told at once. */
  lose(reason: string): void {
    if (!this.#isLost) this.#isReachable = false;
    this.end(reason);
  }

  /** The session is not needed any more. */
  end(reason: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const waiting of [...this.#waiting]) waiting.fail(disconnected);
    this.#end.resolve(reason);
  }

  /** Gives everything back; a server that is still there is told, until `signal` aborts. Never rejects. */
  async close(signal?: AbortSignal): Promise<void> {
    this.end('it was closed');
    this.#closing.abort();
    try {
      if (this.#isReachable) await within(farewell, this.#session?.close(true) ?? Promise.resolve(), signal);
    } catch {
      // The server notices by itself when its session times out.
    }
    try {
      this.#channel?.forceConnectionBreak();
      await within(farewell, this.#client?.disconnect() ?? Promise.resolve());
    } catch {
      // The socket is gone; nothing else is held.
    }
  }

  #within<T>(call: Promise<T>): Promise<T> {
    return within(this.#context.settings.timeout + 1000, call, this.#context.signal);
  }
}
