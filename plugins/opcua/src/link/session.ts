import { isFault, type Context } from '@tagway/sdk';
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
import type { OwnCertificate } from '../pki/own-certificate.ts';
import type { TrustList } from '../pki/trust-list.ts';
import { securityPolicies, type Settings } from '../settings.ts';
import { type Limits, readLimits } from './limits.ts';

/** What every request and response of the library has. */
export interface Request {
  readonly requestHeader: { timeoutHint: number };
}

/** The server refused a request as a whole. */
export class Refusal extends Error {
  readonly status: StatusCode;

  constructor(status: StatusCode) {
    super(`The OPC UA server refused a request with ${status.name}: ${status.description}.`);
    this.status = status;
  }
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

/** Statuses by which a server says that the session or its channel is no more. */
const ends = new Set(
  [
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
  ].map(({ value }) => value),
);

/** How long closing a session may take, in milliseconds. */
const farewell = 1500;

export interface Credentials {
  readonly own: OwnCertificate;
  readonly trust: TrustList;
}

/**
 * One session with the server over one connection. The link owns it. It is never repaired: when its connection or the
 * session itself fails it is lost, and the link opens another. Every request has a deadline.
 */
export class Session {
  limits!: Limits;
  readonly #context: Context<Settings>;
  readonly #client: OPCUAClient;
  readonly #waiting = new Set<() => void>();
  readonly #end = Promise.withResolvers<string>();
  #session: ClientSession | undefined;
  #channel: ClientSecureChannelLayer | undefined;
  #isLost = false;
  /** The server can still be told that the session ends. */
  #isReachable = true;

  private constructor(context: Context<Settings>, { own, trust }: Credentials) {
    this.#context = context;
    const { security_mode, security_policy, timeout } = context.settings;
    const modes = [MessageSecurityMode.None, MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt];
    const policy = securityPolicies[security_policy] ?? 'Basic256Sha256';
    this.#client = OPCUAClient.create({
      applicationName: 'Tagway',
      clientName: `Tagway ${context.node}`,
      certificateKeyPairProvider: own,
      clientCertificateManager: trust,
      securityMode: modes[security_mode] ?? MessageSecurityMode.None,
      securityPolicy: security_mode === 0 ? SecurityPolicy.None : SecurityPolicy[policy],
      // Servers call themselves by names that the gateway may not be able to resolve.
      endpointMustExist: false,
      // The link tries again, not the library.
      connectionStrategy: { maxRetry: 0, initialDelay: 10, maxDelay: 10 },
      // A server allows few sessions, and one whose connection broke counts until it times out, so the timeout is short.
      requestedSessionTimeout: Math.max(30_000, 3 * timeout),
      defaultTransactionTimeout: timeout,
      // The library ends a socket that is silent for half of this; the link makes sure that it never is.
      transportTimeout: 4 * timeout + 120_000,
    });
    this.#client.on('secure_channel_created', (channel) => (this.#channel = channel));
    this.#client.on('connection_lost', () => this.lose('the connection broke'));
    this.#client.on('close', () => this.lose('the connection was closed'));
  }

  /** Rejects with what went wrong, in the library's words. */
  static async open(context: Context<Settings>, credentials: Credentials): Promise<Session> {
    const session = new Session(context, credentials);
    try {
      await session.#open();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { url, username = '', password = '' } = this.#context.settings;
    const identity: UserIdentityInfo =
      username === ''
        ? { type: UserTokenType.Anonymous }
        : { type: UserTokenType.UserName, userName: username, password };
    await this.#within(this.#client.connect(url));
    this.#session = await this.#within(this.#client.createSession(identity));
    this.#session.on('session_closed', () => this.lose('the server closed the session'));
    this.limits = await readLimits(this, this.#context);
  }

  /** Resolves with the reason when the session is lost or closed. */
  get ended(): Promise<string> {
    return this.#end.promise;
  }

  get bytesRead(): number {
    return this.#client.bytesRead;
  }

  get bytesWritten(): number {
    return this.#client.bytesWritten;
  }

  /**
   * Sends a request. Rejects with DISCONNECTED when the session is or gets lost, NO_RESPONSE after `ms`, DECODE_FAILED, or a `Refusal`.
   * A server that is silent altogether is taken for gone.
   */
  send<Response>(
    request: Request,
    signal?: AbortSignal,
    ms = this.#context.settings.timeout,
  ): Promise<Response> {
    const session = this.#session as unknown as Transactions | undefined;
    if (this.#isLost || session === undefined) return Promise.reject(disconnected);
    if (signal?.aborted) return Promise.reject(noResponse);
    const heard = this.bytesRead;
    return new Promise<Response>((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(abandon);
        signal?.removeEventListener('abort', give);
        act();
      };
      const abandon = (): void => settle(() => reject(disconnected));
      const give = (): void => settle(() => reject(noResponse));
      const timer = setTimeout(() => {
        give();
        if (this.bytesRead === heard) this.lose(`the server did not answer within ${ms} ms`);
      }, ms);
      this.#waiting.add(abandon);
      signal?.addEventListener('abort', give, { once: true });
      // Later than our own deadline.
      request.requestHeader.timeoutHint = ms + 1000;
      try {
        session._performMessageTransaction(request, (error, response) => {
          const answer = response ?? error?.response;
          if (error === null && response !== undefined) settle(() => resolve(response as Response));
          else settle(() => reject(this.#failure(answer)));
        });
      } catch {
        settle(() => reject(malformed));
      }
    });
  }

  #failure(answer: ServiceAnswer | undefined): Error {
    if (answer === undefined) {
      // Without an answer the channel has failed, even if the library does not say so otherwise.
      this.lose('a request could not be sent or its answer could not be read');
      return disconnected;
    }
    const status = answer.responseHeader.serviceResult;
    if (!ends.has(status.value)) return new Refusal(status);
    this.lose(`the server ended the session with ${status.name}`);
    return disconnected;
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
    for (const abandon of [...this.#waiting]) abandon();
    this.#end.resolve(reason);
  }

  /** Gives everything back; a server that is still there is told. Never rejects. */
  async close(): Promise<void> {
    this.end('it was closed');
    try {
      if (this.#isReachable) await within(farewell, this.#session?.close(true) ?? Promise.resolve());
    } catch {
      // The server notices by itself when its session times out.
    }
    try {
      this.#channel?.forceConnectionBreak();
      await within(farewell, this.#client.disconnect());
    } catch {
      // The socket is gone; nothing else is held.
    }
  }

  #within<T>(call: Promise<T>): Promise<T> {
    return within(this.#context.settings.timeout + 1000, call, this.#context.signal);
  }
}

/** Rejects with NO_RESPONSE after `ms`, with DISCONNECTED when the run ends. */
async function within<T>(ms: number, call: Promise<T>, signal?: AbortSignal): Promise<T> {
  // The call may fail after we have stopped waiting for it.
  call.catch(() => undefined);
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(noResponse), ms);
  const abort = (): void => reject(disconnected);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (signal?.aborted) throw disconnected;
    return await Promise.race([call, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The status of a request that the server refused, or undefined when it failed in another way. */
export function refusedWith(error: unknown): StatusCode | undefined {
  return error instanceof Refusal && !isFault(error) ? error.status : undefined;
}
