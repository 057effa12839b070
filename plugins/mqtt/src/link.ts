import { LinkState } from '@tagway/sdk';
import type { AppContext } from '@tagway/sdk';
import { Connection } from './connection.ts';
import type { Broker, OnMessage } from './connection.ts';
import { RateLimit } from './rate-limit.ts';
import type { Sender } from './sender.ts';

/** Milliseconds before the second attempt; each further one waits twice as long. */
const firstDelay = 500;
const longestDelay = 15_000;

/** A connection that lived this many milliseconds is a success; a shorter one is one more failed attempt. */
const settledAfter = 10_000;

type LinkContext = Pick<AppContext, 'link' | 'clock' | 'log' | 'node'>;

/** Keeps the node connected: one connection at a time, with growing waits between attempts. */
export class Link {
  readonly #context: LinkContext;
  readonly #broker: Broker;
  readonly #sender: Sender;
  readonly #topics: readonly string[];
  readonly #onMessage: OnMessage;
  readonly #stop = new AbortController();
  readonly #failures: RateLimit;
  #connection: Connection | undefined;
  #running: Promise<void> | undefined;

  /** `topics` are subscribed on every connection. */
  constructor(
    context: LinkContext,
    broker: Broker,
    sender: Sender,
    topics: readonly string[],
    onMessage: OnMessage,
  ) {
    this.#context = context;
    this.#broker = broker;
    this.#sender = sender;
    this.#topics = topics;
    this.#onMessage = onMessage;
    this.#failures = new RateLimit(context.clock);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the connection and every further attempt. */
  async stop(): Promise<void> {
    const connection = this.#connection;
    this.#stop.abort();
    await connection?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const context = this.#context;
    const { signal } = this.#stop;
    let delay = firstDelay;
    while (!signal.aborted) {
      context.link(LinkState.CONNECTING);
      const begun = performance.now();
      const reason = await this.#once();
      context.link(LinkState.DISCONNECTED);
      if (signal.aborted) return;
      if (performance.now() - begun > settledAfter) delay = firstDelay;
      this.#tell(reason);
      // Gateways that lost the same broker must not all come back at the same moment.
      const wait = delay * (0.5 + Math.random() / 2);
      delay = Math.min(delay * 2, longestDelay);
      await context.clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  /** One connection from beginning to end; resolves with the reason of the end. */
  async #once(): Promise<string> {
    let connection: Connection;
    try {
      connection = await Connection.open(this.#broker, this.#onMessage, this.#stop.signal);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    if (this.#stop.signal.aborted) {
      await connection.close();
      return 'The node stopped.';
    }
    this.#connection = connection;
    const { host, port } = this.#broker;
    this.#context.log.notice(`The node ${this.#context.node} is connected to the broker ${host}:${port}.`);
    this.#context.link(LinkState.CONNECTED);
    this.#sender.attach(connection);
    connection.subscribe(this.#topics).catch((error: unknown) => {
      if (this.#connection !== connection) return;
      this.#context.log.error(
        `The broker refused the topics of read and write requests of the node ${this.#context.node}: ${String(error)}`,
      );
    });
    const reason = await connection.closed;
    this.#connection = undefined;
    this.#sender.detach();
    return reason;
  }

  #tell(reason: string): void {
    const times = this.#failures.add();
    if (times === 0) return;
    this.#context.log.warn(
      `The node ${this.#context.node} has no connection to its broker: ${reason} It keeps trying.` +
        (times > 1 ? ` This was attempt ${times} since the last such line.` : ''),
    );
  }
}
