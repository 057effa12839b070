import { LinkState } from '@tagway/sdk';
import type { AppContext, LinkReport } from '@tagway/sdk';
import { ConnectError, Connection } from './connection.ts';
import type { Broker, OnMessage } from './connection.ts';
import { RateLimit } from './rate-limit.ts';
import type { Sender } from './sender.ts';

/** Milliseconds before the second attempt; each further one waits twice as long. */
const firstDelay = 500;
const longestDelay = 15_000;

/**
 * Milliseconds before the first attempt where the other gateway of a pair may have taken the session over: by then the one that is not active
 * any more has been ended, at the latest 3.5 s after its last renewal of the lease.
 */
const partnerDelay = 4000;

/** A connection that lived this many milliseconds is a success; a shorter one is one more failed attempt. */
const settledAfter = 10_000;

/** Milliseconds after which a reason that lasts is told again, and how many are told apart. */
const repeatAfter = 3_600_000;
const mostReasons = 20;

/** Where what the connection of the moment is for is sent over it. */
type Outlet = Pick<Sender, 'attach' | 'detach'>;

type LinkContext = Pick<AppContext, 'link' | 'clock' | 'log' | 'node' | 'pairId'>;

/** What an app does with its connections. */
export interface Session {
  /** What is subscribed on every connection, and with which quality of service. */
  readonly topics: readonly string[];
  readonly subscribeQos: 0 | 1 | 2;
  /** Asked for at every attempt. */
  broker(): Broker | Promise<Broker>;
  readonly received: OnMessage;
  /**
   * The broker has answered the subscriptions, and nothing was sent yet. Queued messages wait until this has resolved, and `signal` aborts
   * when the connection ends before that. Without it they do not wait, not even for the subscriptions.
   */
  opened?(connection: Connection, signal: AbortSignal): void | Promise<void>;
  /** The connection has ended. */
  closed?(): void;
  /** Takes leave before the connection is closed politely; the broker then publishes the will too if it speaks MQTT 5. */
  closing?(connection: Connection): Promise<void>;
}

/** Why a connection ended or did not come about. */
interface End {
  readonly reason: string;
  readonly report: LinkReport;
  /** The other gateway of the pair may have the session now. */
  readonly toPartner?: boolean;
}

/** Keeps the node connected: one connection at a time, with growing waits between attempts. */
export class Link {
  readonly #context: LinkContext;
  readonly #session: Session;
  readonly #sender: Outlet;
  readonly #stop = new AbortController();
  /** By reason. */
  readonly #failures = new Map<string, RateLimit>();
  #connection: Connection | undefined;
  #running: Promise<void> | undefined;
  #warned = false;
  /** Why the connection is being left. */
  #leaving: string | undefined;

  constructor(context: LinkContext, session: Session, sender: Outlet) {
    this.#context = context;
    this.#session = session;
    this.#sender = sender;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the connection and every further attempt. */
  async stop(): Promise<void> {
    const connection = this.#connection;
    this.#stop.abort();
    if (connection !== undefined) await this.#close(connection);
    await this.#running;
  }

  /** Ends the connection politely and begins again. The reason is a sentence. */
  async leave(reason: string): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || this.#leaving !== undefined) return;
    this.#leaving = reason;
    this.#sender.detach();
    await this.#close(connection);
  }

  async #close(connection: Connection): Promise<void> {
    await this.#session.closing?.(connection);
    await connection.close(this.#session.closing !== undefined);
  }

  async #run(): Promise<void> {
    const context = this.#context;
    const { signal } = this.#stop;
    let delay = firstDelay;
    while (!signal.aborted) {
      context.link(LinkState.CONNECTING);
      const begun = performance.now();
      const { reason, report, toPartner = false } = await this.#once();
      context.link(LinkState.DISCONNECTED, signal.aborted ? {} : report);
      if (signal.aborted) return;
      if (performance.now() - begun > settledAfter) {
        delay = firstDelay;
        this.#failures.clear();
      }
      this.#tell(report.reason ?? reason);
      // Gateways that lost the same broker must not all come back at the same moment.
      const wait = toPartner
        ? Math.max(delay, partnerDelay) * (1 + Math.random() / 4)
        : delay * (0.5 + Math.random() / 2);
      delay = Math.min(delay * 2, longestDelay);
      await context.clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  /** One connection from beginning to end. */
  async #once(): Promise<End> {
    let place = 'the broker';
    let connection: Connection;
    try {
      const broker = await this.#session.broker();
      place = `the broker ${broker.host}:${broker.port}`;
      if (broker.tls?.rejectUnauthorized === false) this.#warnOfAnyCertificate(place);
      connection = await Connection.open(broker, this.#session.received, this.#stop.signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const report = { reason: `There is no connection to ${place}: ${reason}` };
      return { reason, report: error instanceof ConnectError ? { ...report, step: error.step } : report };
    }
    if (this.#stop.signal.aborted) {
      await this.#close(connection);
      return { reason: 'The node stopped.', report: {} };
    }
    this.#connection = connection;
    this.#leaving = undefined;
    const ended = new AbortController();
    void this.#open(connection, place, ended.signal);
    const { reason, mayBeTakenOver } = await connection.closed;
    ended.abort();
    this.#connection = undefined;
    this.#sender.detach();
    this.#session.closed?.();
    const told = this.#leaving ?? reason;
    const toPartner = mayBeTakenOver && this.#leaving === undefined && this.#context.pairId !== undefined;
    return { reason: told, report: { reason: `The connection to ${place} has ended: ${told}` }, toPartner };
  }

  /** Once in a run. */
  #warnOfAnyCertificate(place: string): void {
    if (this.#warned) return;
    this.#warned = true;
    const { log, node } = this.#context;
    log.warn(
      `The node ${node} connects to ${place} over TLS without "ca" and takes whatever certificate is shown: ` +
        'nobody can listen, but whoever answers may be another. Set "ca" to the certificate of the authority.',
    );
  }

  async #open(connection: Connection, place: string, signal: AbortSignal): Promise<void> {
    const session = this.#session;
    const { log, node } = this.#context;
    log.notice(`The node ${node} is connected to ${place}.`);
    const subscribed = this.#subscribe(connection).catch((error: unknown) => {
      if (signal.aborted) return;
      log.error(`The broker refused the topics that the node ${node} takes requests from: ${String(error)}`);
    });
    if (session.opened !== undefined) {
      await subscribed;
      if (signal.aborted) return;
      try {
        await session.opened(connection, signal);
      } catch (error) {
        if (!signal.aborted) connection.fail(`The session could not be opened: ${String(error)}.`);
        return;
      }
    }
    if (signal.aborted || this.#leaving !== undefined) return;
    this.#context.link(LinkState.CONNECTED);
    this.#sender.attach(connection);
  }

  async #subscribe(connection: Connection): Promise<void> {
    const { topics, subscribeQos } = this.#session;
    if (topics.length > 0) await connection.subscribe(topics, subscribeQos);
  }

  #tell(reason: string): void {
    const key = this.#failures.size < mostReasons ? reason : 'others';
    const failures = this.#failures.get(key) ?? new RateLimit(this.#context.clock, repeatAfter);
    this.#failures.set(key, failures);
    const times = failures.add();
    if (times === 0) return;
    this.#context.log.warn(
      `${reason} The node ${this.#context.node} keeps trying.` +
        (times > 1 ? ` ${times - 1} more attempts failed since the line like this before.` : ''),
    );
  }
}
