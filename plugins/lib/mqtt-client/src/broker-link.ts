import { LinkState } from '@tagway/sdk';
import type { AppContext, LinkReport } from '@tagway/sdk';
import { LimitedLog } from '@tagway/store/log';
import type { Broker } from './broker.ts';
import { ConnectError, Connection, type OnMessage } from './connection.ts';
import type { Sender } from './sender.ts';

/** Milliseconds before the second attempt; each further one waits twice as long. */
const firstDelay = 500;
const longestDelay = 15_000;

/**
 * Milliseconds before the first attempt after the other gateway of a pair may have taken the session over. A gateway that is no longer
 * active has ended its nodes by then: at the latest 3.5 s after its last renewal of the lease.
 */
const partnerDelay = 4000;

/** Milliseconds. A connection that ends sooner counts as a failed attempt. */
const stableAfter = 10_000;

/** Milliseconds after which the same reason is logged again, and the number of reasons that are logged separately. */
const repeatAfter = 3_600_000;
const mostReasons = 20;

/** Sends messages over the connection that it is given. */
type MessageSender = Pick<Sender, 'attach' | 'detach'>;

type LinkContext = Pick<AppContext, 'link' | 'clock' | 'log' | 'node' | 'pairId'>;

/** An app as the client of a broker: where it connects, what it subscribes to, and what it does when a connection opens and closes. */
export interface BrokerClient {
  /** Topics that are subscribed to on every connection. */
  readonly topics: readonly string[];
  readonly subscribeQos: 0 | 1 | 2;
  /** Called at every attempt to connect. */
  broker(): Broker | Promise<Broker>;
  readonly received: OnMessage;
  /**
   * Called when the broker has answered the subscriptions and before any message is sent. Messages wait until it resolves; `signal` aborts
   * when the connection ends before that. Without this function messages do not wait, not even for the subscriptions.
   */
  opened?(connection: Connection, signal: AbortSignal): void | Promise<void>;
  /** Called when the connection has ended. */
  closed?(): void;
  /** Called before the node closes the connection. With this function a broker of MQTT 5 publishes the will at a DISCONNECT too. */
  closing?(connection: Connection): Promise<void>;
}

/** Why a connection ended or did not come about. */
interface End {
  readonly report: LinkReport;
  /** The other gateway of the pair may have the session now. */
  readonly isTakenByPartner?: boolean;
}

/** Keeps the node connected to its broker: one connection at a time, with growing waits between attempts. */
export class BrokerLink {
  readonly #context: LinkContext;
  readonly #client: BrokerClient;
  readonly #sender: MessageSender;
  readonly #stop = new AbortController();
  /** By reason. */
  readonly #failures = new Map<string, LimitedLog>();
  #connection: Connection | undefined;
  #running: Promise<void> | undefined;
  #warned = false;
  /** Why `reconnect` closes the connection. */
  #closeReason: string | undefined;

  constructor(context: LinkContext, client: BrokerClient, sender: MessageSender) {
    this.#context = context;
    this.#client = client;
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

  /** Closes the connection and connects again. The reason is a sentence. */
  async reconnect(reason: string): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    this.#sender.detach();
    await this.#close(connection);
  }

  async #close(connection: Connection): Promise<void> {
    await this.#client.closing?.(connection);
    await connection.close(this.#client.closing !== undefined);
  }

  async #run(): Promise<void> {
    const context = this.#context;
    const { signal } = this.#stop;
    let delay = firstDelay;
    while (!signal.aborted) {
      context.link(LinkState.CONNECTING);
      const begun = performance.now();
      const { report, isTakenByPartner = false } = await this.#connectOnce();
      context.link(LinkState.DISCONNECTED, signal.aborted ? {} : report);
      if (signal.aborted) return;
      if (performance.now() - begun > stableAfter) {
        delay = firstDelay;
        this.#failures.clear();
      }
      this.#logFailure(report.reason ?? '');
      // The wait is random, so that gateways that lost the same broker do not all connect at the same moment.
      const wait = isTakenByPartner
        ? Math.max(delay, partnerDelay) * (1 + Math.random() / 4)
        : delay * (0.5 + Math.random() / 2);
      delay = Math.min(delay * 2, longestDelay);
      await context.clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  /** One connection from the attempt to its end. */
  async #connectOnce(): Promise<End> {
    let name = 'the broker';
    let connection: Connection;
    try {
      const broker = await this.#client.broker();
      name = `the broker ${broker.host}:${broker.port}`;
      if (broker.tls?.rejectUnauthorized === false) this.#warnOfAnyCertificate(name);
      connection = await Connection.open(broker, this.#client.received, this.#stop.signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const report = { reason: `There is no connection to ${name}: ${reason}` };
      return { report: error instanceof ConnectError ? { ...report, step: error.step } : report };
    }
    if (this.#stop.signal.aborted) {
      await this.#close(connection);
      return { report: {} };
    }
    this.#connection = connection;
    this.#closeReason = undefined;
    const ended = new AbortController();
    void this.#open(connection, name, ended.signal);
    const { reason, mayBeTakenOver } = await connection.closed;
    ended.abort();
    this.#connection = undefined;
    this.#sender.detach();
    this.#client.closed?.();
    return {
      report: { reason: `The connection to ${name} has ended: ${this.#closeReason ?? reason}` },
      isTakenByPartner:
        mayBeTakenOver && this.#closeReason === undefined && this.#context.pairId !== undefined,
    };
  }

  /** Once in a run of the node. */
  #warnOfAnyCertificate(name: string): void {
    if (this.#warned) return;
    this.#warned = true;
    const { log, node } = this.#context;
    log.warn(
      `The node ${node} connects to ${name} over TLS without "ca" and takes whatever certificate is shown: ` +
        'the connection is encrypted, but another server may pose as the broker. Set "ca" to the certificate of the authority.',
    );
  }

  async #open(connection: Connection, name: string, signal: AbortSignal): Promise<void> {
    const client = this.#client;
    const { log, node } = this.#context;
    log.notice(`The node ${node} is connected to ${name}.`);
    const { topics, subscribeQos } = client;
    const subscribing = topics.length > 0 ? connection.subscribe(topics, subscribeQos) : Promise.resolve();
    const subscribed = subscribing.catch((error: unknown) => {
      if (signal.aborted) return;
      log.error(`The broker refused the topics that the node ${node} takes requests from: ${String(error)}`);
    });
    if (client.opened !== undefined) {
      await subscribed;
      if (signal.aborted) return;
      try {
        await client.opened(connection, signal);
      } catch (error) {
        if (!signal.aborted) connection.fail(`The session could not be opened: ${String(error)}.`);
        return;
      }
    }
    if (signal.aborted || this.#closeReason !== undefined) return;
    this.#context.link(LinkState.CONNECTED);
    this.#sender.attach(connection);
  }

  #logFailure(reason: string): void {
    const key = this.#failures.size < mostReasons ? reason : 'others';
    const failures = this.#failures.get(key) ?? new LimitedLog(this.#context.clock, repeatAfter);
    this.#failures.set(key, failures);
    const { log, node } = this.#context;
    failures.add((others) => log.warn(`${reason} The node ${node} keeps trying.${others}`));
  }
}
