import type { AppContext } from '@tagway/sdk';
import type { Connection } from './connection.ts';
import type { Message, Outbox } from './outbox.ts';
import { RateLimit } from './rate-limit.ts';

/** Most messages in flight: what mosquitto takes unless told otherwise; all of them are sent again after a lost connection. */
const maxInFlight = 20;

/** Bytes that may lie in the socket before publishing waits. */
const maxUnsent = 1_000_000;

/** A message that was alone in flight when this many connections ended is what ends them. */
const maxAttempts = 8;

/** Room for topic and properties in a broker's limit on packets, in bytes. */
const packetMargin = 1024;

/** Milliseconds after which the oldest message in flight counts as unanswered, and the connection as dead. */
const answerTimeout = 60_000;

type SenderContext = Pick<AppContext, 'count' | 'gauge' | 'log' | 'clock' | 'node'>;

/** Moves messages from the outbox to the connection of the moment, at the pace that the broker keeps. */
export class Sender {
  readonly #context: SenderContext;
  readonly #outbox: Outbox;
  /** Milliseconds between two messages of the backlog; 0 sends the backlog first and at once. */
  readonly #backlogInterval: number;
  readonly #dropped: RateLimit;
  readonly #refused: RateLimit;
  #connection: Connection | undefined;
  /** Counts connections, so that news of an old one is recognised. */
  #generation = 0;
  /** One until the first answer on a connection, so that a message that kills connections is found. */
  #window = 1;
  #nextBacklog = 0;
  #lastAnswer = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #replay: NodeJS.Timeout | undefined;

  constructor(context: SenderContext, outbox: Outbox, backlogInterval: number) {
    this.#context = context;
    this.#outbox = outbox;
    this.#backlogInterval = backlogInterval;
    this.#dropped = new RateLimit(context.clock);
    this.#refused = new RateLimit(context.clock);
  }

  get connected(): boolean {
    return this.#connection !== undefined;
  }

  /** Queues a message and sends what may be sent. */
  send(topic: string, payload: Buffer): void {
    this.#drop(this.#outbox.push(topic, payload), 'the queue is full');
    this.#pump();
  }

  /** Sends over this connection from now on. */
  attach(connection: Connection): void {
    this.#connection = connection;
    this.#generation++;
    this.#window = 1;
    this.#outbox.connected();
    this.#watchdog = setInterval(() => {
      this.#watch();
    }, 1000);
    this.#pump();
  }

  /** The connection is gone: what it did not confirm is sent again over the next. */
  detach(): void {
    if (this.#connection === undefined) return;
    clearInterval(this.#watchdog);
    clearTimeout(this.#replay);
    this.#replay = undefined;
    this.#connection = undefined;
    this.#generation++;
    this.#outbox.disconnected();
    this.#context.gauge('cached_msgs', this.#outbox.waiting);
  }

  /** Resolves when everything is sent and confirmed, when there is no connection, or after `limit` milliseconds. */
  async flush(limit: number): Promise<void> {
    const end = performance.now() + limit;
    while (this.connected && this.#outbox.bytes > 0 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #pump(): void {
    const connection = this.#connection;
    if (connection !== undefined) {
      const window = Math.min(this.#window, connection.window);
      while (this.#outbox.inFlight < window && connection.unsent < maxUnsent) {
        const message = this.#take();
        if (message === undefined) break;
        this.#publish(connection, message);
      }
    }
    this.#context.gauge('cached_msgs', this.#outbox.waiting);
  }

  #take(): Message | undefined {
    if (this.#backlogInterval === 0) return this.#outbox.take(true);
    const now = performance.now();
    const due = this.#outbox.backlog > 0 && now >= this.#nextBacklog;
    if (due) this.#nextBacklog = now + this.#backlogInterval;
    const message = this.#outbox.take(due);
    if (this.#outbox.backlog > 0 && this.#replay === undefined) {
      this.#replay = setTimeout(() => {
        this.#replay = undefined;
        this.#pump();
      }, this.#nextBacklog - now);
    }
    return message;
  }

  #publish(connection: Connection, message: Message): void {
    if (message.payload.length + message.topic.length + packetMargin > connection.largest) {
      this.#refuse(message, 'it is larger than the broker takes');
      return;
    }
    if (message.attempts >= maxAttempts) {
      this.#refuse(message, `${maxAttempts} connections ended while the broker had it`);
      return;
    }
    const generation = this.#generation;
    if (this.#outbox.inFlight === 1) this.#lastAnswer = performance.now();
    this.#context.count('send_msgs_total', 1);
    this.#context.count('send_bytes', message.payload.length);
    connection.publish(message, (refused) => {
      if (generation !== this.#generation) return;
      this.#window = maxInFlight;
      this.#lastAnswer = performance.now();
      if (refused === undefined) this.#outbox.settle(message);
      else this.#refuse(message, `the broker refused it: ${refused}`);
      this.#pump();
    });
  }

  #watch(): void {
    const silent = performance.now() - this.#lastAnswer;
    if (this.#outbox.inFlight > 0 && silent > answerTimeout) {
      this.#connection?.fail(`The broker confirmed nothing for ${answerTimeout / 1000} seconds`);
    }
  }

  #drop(messages: number, reason: string): void {
    if (messages === 0) return;
    this.#context.count('send_msg_errors_total', messages);
    const told = this.#dropped.add(messages);
    if (told > 0)
      this.#context.log.warn(
        `The node ${this.#context.node} dropped ${told} messages, the oldest first, because ${reason}.`,
      );
  }

  #refuse(message: Message, reason: string): void {
    this.#outbox.settle(message);
    this.#context.count('send_msg_errors_total', 1);
    const told = this.#refused.add();
    if (told === 0) return;
    this.#context.log.error(
      `The node ${this.#context.node} gave up a message of ${message.payload.length} bytes for the topic ` +
        `${message.topic} because ${reason}. ${told} since the last such line.`,
    );
  }
}
