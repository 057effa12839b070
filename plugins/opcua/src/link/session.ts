import type { Context } from '@tagway/sdk';
import {
  type ClientSecureChannelLayer,
  type ClientSession,
  MessageSecurityMode,
  OPCUAClient,
  type OPCUAClientOptions,
  SecurityPolicy,
  type StatusCode,
  StatusCodes,
  UserTokenType,
  type UserIdentityInfo,
} from 'node-opcua-client';
import { disconnected, malformed, noResponse } from '../faults.ts';
import { securityPolicies, type Settings } from '../settings.ts';
import { clientOptions, type Credentials } from './client-options.ts';
import { withDeadline } from './deadline.ts';
import { serverCertificateOf } from './endpoint.ts';
import { readLimits } from './limits.ts';
import { Refusal, Undecodable } from './refusal.ts';
import { isTooLargeStatus, type Kind, type Limits, type Sizes } from './sizes.ts';
import { oneOf } from './statuses.ts';
import type { Attempt } from './wire.ts';

/** What every request and response of the library has. */
export interface Request {
  readonly requestHeader: { timeoutHint: number; requestHandle: number };
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds; default: the timeout of the settings. */
  readonly ms?: number;
  /**
   * Publish requests wait at the server for as long as it takes; `monitor` creates what they bring; a probe is about the session, not
   * about data. Default: data.
   */
  readonly role?: 'data' | 'monitor' | 'probe' | 'publish';
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

/** Statuses of a server that has ended the session or its channel. */
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

/** The largest answer, in bytes. */
const largestMessage = 64 * 1024 * 1024;

/** The time between two sessions with a server that loses them again and again, in milliseconds. */
export const sessionPace = 1_000;

/** How long closing a session may take, in milliseconds. */
const farewell = 1500;

/** How long the library waits for the answer to a publish request, in milliseconds. The sender has a deadline of its own. */
const publishKept = 86_400_000;

/**
 * One session with the server over one connection. The link owns it. It is never repaired: when its connection or the
 * session itself fails it is lost, and the link opens another. Every request has a deadline.
 */
export class Session {
  /** When the latest request went out, on the clock that never jumps. */
  lastSent = 0;
  readonly sizes: Sizes;
  readonly #context: Context<Settings>;
  readonly #credentials: Credentials;
  readonly #attempt: Attempt;
  readonly #waiting = new Set<Waiting>();
  readonly #end = Promise.withResolvers<string>();
  readonly #closing = new AbortController();
  #opened = -Infinity;
  #limits: Limits = { read: 1, write: 1, browse: 1, monitor: 1 };
  #client: OPCUAClient | undefined;
  #session: ClientSession | undefined;
  #channel: ClientSecureChannelLayer | undefined;
  /** The request before, while requests are sent one after the other. */
  #previous: Promise<unknown> = Promise.resolve();
  #isLost = false;
  /** The server can still be asked to close the session. */
  #isReachable = true;

  private constructor(context: Context<Settings>, credentials: Credentials, sizes: Sizes, attempt: Attempt) {
    this.#context = context;
    this.#credentials = credentials;
    this.sizes = sizes;
    this.#attempt = attempt;
  }

  /** Rejects with the library's error; `attempt` holds how far it came. */
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
    const security: OPCUAClientOptions = { ...options, securityMode: mode, securityPolicy: policy };
    if (mode !== MessageSecurityMode.None) {
      const wanted = { mode, policy, trust, signal: this.#closing.signal };
      security.serverCertificate = await this.#withDeadline(serverCertificateOf(url, options, wanted));
    }
    const client = OPCUAClient.create(security);
    this.#client = client;
    client.on('secure_channel_created', (channel) => (this.#channel = channel));
    client.on('connection_lost', () => this.#broken('the connection broke'));
    client.on('close', () => this.#broken('the connection was closed'));
    await this.#withDeadline(client.connect(url));
    this.#listen();
    const identity: UserIdentityInfo =
      username === ''
        ? { type: UserTokenType.Anonymous }
        : { type: UserTokenType.UserName, userName: username, password };
    this.#session = await this.#withDeadline(client.createSession(identity));
    this.#attempt.step = 'first answer';
    this.#session.on('session_closed', () => this.lose('the server closed the session'));
    this.#opened = this.#context.clock.monotonic();
    this.#limits = this.sizes.limitsOf(await readLimits(this, this.#context));
  }

  /** The library drops answers that it cannot decode, and reports those that are too large to the channel alone. */
  #listen(): void {
    const builder = this.#channel?._getMessageBuilder();
    if (builder === undefined) return;
    // The library holds what the server takes against what it sends.
    Object.assign(builder, { maxMessageSize: largestMessage, maxChunkCount: largestMessage / 1024 });
    const waitingFor = (id: number | null | undefined): Waiting | undefined =>
      [...this.#waiting].find(({ request }) => request.requestHeader.requestHandle === id);
    builder.on('invalid_message', () =>
      waitingFor(builder.sequenceHeader?.requestId)?.fail(new Undecodable()),
    );
    // After it the library takes no other message: it does not count the chunk.
    builder.prependListener('abandon', (id) =>
      this.#tooLarge(StatusCodes.BadOperationAbandoned, waitingFor(id)),
    );
    builder.prependListener('error', (_error, status, id) => {
      if (this.#attempt.status !== undefined) this.#broken('the server closed the connection');
      else if (isTooLargeStatus(status)) this.#tooLarge(status, waitingFor(id));
      else this.lose(`an answer of the server could not be read (${status.name})`);
    });
  }

  /** The most operations of a request of this kind. */
  most(kind: Kind): number {
    return this.sizes.most(this.#limits, kind);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Resolves when the session is old enough for the next one to follow it at once: what may cost the session waits for this. */
  async mature(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    const wait = this.#opened + sessionPace - clock.monotonic();
    if (wait <= 0 || this.#isLost) return;
    const end = AbortSignal.any([signal, this.#closing.signal]);
    await clock.sleep(wait, end).catch(() => undefined);
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

  /** Milliseconds without a request after which the server forgets the session. */
  get timeout(): number {
    return this.#session?.timeout ?? Infinity;
  }

  /** As `send`, but one after the other while the session is careful, so that it is clear which answer was too large. */
  ask<Response>(request: Request, signal?: AbortSignal): Promise<Response> {
    const options = signal ? { signal } : {};
    if (!this.sizes.isCareful) return this.send<Response>(request, options);
    const answer = this.#previous.then(() => this.send<Response>(request, options));
    this.#previous = answer.catch(() => undefined);
    return answer;
  }

  /**
   * Sends a request. Rejects with DISCONNECTED when the session is or gets lost, NO_RESPONSE after `ms`, DECODE_FAILED, a `Refusal` or
   * `Undecodable`. A server that has sent nothing at all until then loses the session.
   */
  send<Response>(
    request: Request,
    { signal, ms = this.#context.settings.timeout, role = 'data' }: SendOptions = {},
  ): Promise<Response> {
    const session = this.#session as unknown as Transactions | undefined;
    if (this.#isLost || session === undefined) return Promise.reject(disconnected);
    if (signal?.aborted) return Promise.reject(noResponse);
    const heard = this.bytesRead;
    this.lastSent = this.#context.clock.monotonic();
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
      // After the deadline of `send`.
      request.requestHeader.timeoutHint = role === 'publish' ? publishKept : ms + 1000;
      try {
        session._performMessageTransaction(request, (error, response) => {
          // The deadline may be over.
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

  /**
   * An answer was too large for the server or for us. The only request that waits is the cause; otherwise the next session is careful,
   * and what it publishes is the cause, as all points were read before.
   */
  #tooLarge(status: StatusCode, named?: Waiting): void {
    if (this.#isLost) return;
    const suspects = named ? [named] : [...this.#waiting];
    const data = suspects.filter(({ role }) => role === 'data');
    const isPublishing = suspects.some(({ role }) => role === 'publish');
    const monitor = suspects.find(({ role }) => role === 'monitor');
    if (monitor) monitor.fail(new Refusal(status));
    else if (isPublishing && (data.length === 0 || this.sizes.isCareful)) this.sizes.publishedTooMuch();
    else if (data.length === 1 && !isPublishing) data[0]?.fail(new Refusal(status));
    this.sizes.beCareful();
    this.lose(`a message was too large (${status.name})`);
  }

  /** The session is of no use any more: requests that wait fail at once. */
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

  /** Gives everything back; asks a server that is still there to close the session, until `signal` aborts. Never rejects. */
  async close(signal?: AbortSignal): Promise<void> {
    this.end('it was closed');
    this.#closing.abort();
    try {
      if (this.#isReachable)
        await withDeadline(farewell, this.#session?.close(true) ?? Promise.resolve(), signal);
    } catch {
      // The server notices by itself when its session times out.
    }
    try {
      this.#channel?.forceConnectionBreak();
      await withDeadline(farewell, this.#client?.disconnect() ?? Promise.resolve());
    } catch {
      // The socket is closed, and there is nothing else to give back.
    }
  }

  #withDeadline<T>(call: Promise<T>): Promise<T> {
    return withDeadline(this.#context.settings.timeout + 1000, call, this.#context.signal);
  }
}
