import type { AppContext } from '@tagway/sdk';
import type { Spool, SpoolRecord } from '@tagway/sdk/spool';
import type { Connection, OnSettled } from './connection.ts';
import { othersSince, RateLimit } from './rate-limit.ts';

/** Most messages in flight: what mosquitto takes unless told otherwise; all of them are sent again after a lost connection. */
const maxInFlight = 20;

/** Bytes that may lie in the socket before publishing waits. */
const maxUnsent = 1_000_000;

/**
 * How often a message may fail before it is given up. It fails when the connection ends while it is the only message in flight, although the
 * broker had confirmed another message on that connection, and when the broker refuses it with a code that means "try again later".
 */
const maxAttempts = 8;

/** Room for topic and properties in a broker's limit on packets, in bytes. */
const packetMargin = 1024;

/** Milliseconds after which the oldest message in flight counts as unanswered, and the connection as dead. */
const answerTimeout = 60_000;

export interface Outgoing {
  readonly topic: string;
  readonly payload: Buffer;
  /** The broker keeps it for those who subscribe later. */
  readonly retain?: boolean;
  /** It tells of what was, and is marked so where the protocol can. */
  readonly historical?: boolean;
}

/**
 * Makes what is published of a record, in the order on the wire and just before it is sent. `backlog`: the record waited for a
 * connection. Undefined when there is no use for the record any more: it is counted as dropped.
 */
export type Encode = (record: SpoolRecord, backlog: boolean) => Outgoing | undefined;

export const asItIs: Encode = ({ key, data: { buffer, byteOffset, byteLength } }) => ({
  topic: key,
  payload: Buffer.from(buffer, byteOffset, byteLength),
});

type SenderContext = Pick<AppContext, 'count' | 'gauge' | 'log' | 'clock' | 'node'>;

/** Moves messages from the cache to the connection of the moment, at the pace that the broker keeps. */
export class Sender {
  readonly #context: SenderContext;
  readonly #spool: Spool;
  /** Milliseconds between two messages of the backlog; 0 sends the backlog first and at once. */
  readonly #backlogInterval: number;
  readonly #encode: Encode;
  readonly #refused: RateLimit;
  readonly #inFlight = new Set<SpoolRecord>();
  /** The message that was alone in flight when a connection ended, and how many connections that worked ended so. */
  #suspect = { sequence: 0, attempts: 0 };
  /** The suspect while another message shows whether this connection works. */
  #aside: SpoolRecord | undefined;
  /** Records that were taken from the backlog. */
  readonly #late = new WeakSet<SpoolRecord>();
  #held = false;
  #connection: Connection | undefined;
  /** Counts connections, so that news of an old one is recognised. */
  #generation = 0;
  /** The broker has confirmed something on this connection. Until then one message is in flight. */
  #works = false;
  #nextBacklog = 0;
  #lastAnswer = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #replay: NodeJS.Timeout | undefined;

  constructor(context: SenderContext, spool: Spool, backlogInterval: number, encode: Encode = asItIs) {
    this.#context = context;
    this.#spool = spool;
    this.#encode = encode;
    this.#backlogInterval = backlogInterval;
    this.#refused = new RateLimit(context.clock);
  }

  get connected(): boolean {
    return this.#connection !== undefined;
  }

  /** Queues a message and sends what may be sent. When it returns a promise, the next message should wait for it. */
  send(topic: string, payload: Buffer): Promise<void> | undefined {
    this.#spool.push(topic, payload);
    this.pump();
    return this.#spool.drained;
  }

  /** Messages wait until `resume`; the connection stays. */
  hold(): void {
    this.#held = true;
  }

  resume(): void {
    this.#held = false;
    this.pump();
  }

  /** Sends over this connection from now on. */
  attach(connection: Connection): void {
    this.#connection = connection;
    this.#generation++;
    this.#works = false;
    this.#spool.connected();
    this.#watchdog = setInterval(() => {
      this.#watch();
    }, 1000);
    this.pump();
  }

  /** The connection is gone: what it did not confirm is sent again over the next. */
  detach(): void {
    if (this.#connection === undefined) return;
    clearInterval(this.#watchdog);
    clearTimeout(this.#replay);
    this.#replay = undefined;
    this.#connection = undefined;
    this.#generation++;
    const [first, second] = this.#inFlight;
    // A link that breaks all the time must not cost a message: only a connection that worked is a witness.
    if (first !== undefined && second === undefined) this.#count(first, this.#works ? 1 : 0);
    this.#aside = undefined;
    this.#inFlight.clear();
    this.#spool.disconnected();
    this.#gauge();
  }

  /** Resolves when everything in memory is sent and confirmed, when there is no connection, or after `limit` milliseconds. */
  async flush(limit: number): Promise<void> {
    const end = performance.now() + limit;
    while (this.connected && this.#inFlight.size + this.#spool.inMemory > 0 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Sends what may be sent. */
  pump(): void {
    const connection = this.#connection;
    if (connection !== undefined) {
      while (
        !this.#held &&
        this.#inFlight.size < this.#windowOf(connection) &&
        connection.unsent < maxUnsent
      ) {
        const message = this.#takeFair();
        if (message === undefined) break;
        this.#publish(connection, message);
      }
    }
    this.#gauge();
  }

  #gauge(): void {
    this.#context.gauge('cached_msgs', this.#spool.waiting);
    this.#context.gauge('cache_disk_bytes', this.#spool.bytesOnDisk);
  }

  #windowOf(connection: Connection): number {
    // The suspect goes alone, so that it is known what it did.
    const [first] = this.#inFlight;
    if (!this.#works || this.#aside !== undefined || first?.sequence === this.#suspect.sequence) return 1;
    return Math.min(maxInFlight, connection.window);
  }

  /** Like `take`, but lets another message go before the suspect on a new connection, if there is one. */
  #takeFair(): SpoolRecord | undefined {
    if (this.#aside === undefined) {
      const message = this.#take();
      if (message?.sequence !== this.#suspect.sequence || this.#works) return message;
      this.#aside = message;
    }
    const other = this.#works ? undefined : this.#take();
    if (other !== undefined) return other;
    // Another one is still being read from the disk.
    if (!this.#works && this.#spool.backlog > 0) return undefined;
    const suspect = this.#aside;
    this.#aside = undefined;
    return suspect;
  }

  #take(): SpoolRecord | undefined {
    const spool = this.#spool;
    if (spool.backlog === 0) return spool.takeLive();
    const interval = this.#backlogInterval;
    const now = performance.now();
    // The first message on a connection is the oldest: if it is what ends connections, it is alone when this one ends.
    if (interval === 0 || !this.#works) {
      this.#nextBacklog = now + interval;
      return this.#takeLate();
    }
    if (now >= this.#nextBacklog) {
      const message = this.#takeLate();
      // A timer that is a little late does not slow the pace.
      if (message !== undefined) {
        const late = now - this.#nextBacklog;
        this.#nextBacklog = now + interval - (late < interval ? late : 0);
        return message;
      }
    } else {
      this.#replay ??= setTimeout(() => {
        this.#replay = undefined;
        this.pump();
      }, this.#nextBacklog - now);
    }
    return spool.takeLive();
  }

  #takeLate(): SpoolRecord | undefined {
    const message = this.#spool.takeBacklog();
    if (message !== undefined) this.#late.add(message);
    return message;
  }

  #publish(connection: Connection, message: SpoolRecord): void {
    const { key, data, sequence } = message;
    // What `encode` adds is less than the margin.
    if (data.length + key.length + packetMargin > connection.largest) {
      this.#refuse(message, 'it is larger than the broker takes');
      return;
    }
    if (sequence === this.#suspect.sequence && this.#suspect.attempts >= maxAttempts) {
      this.#refuse(message, `${maxAttempts} connections ended while the broker had it`);
      return;
    }
    const outgoing = this.#encode(message, this.#late.has(message));
    if (outgoing === undefined) {
      this.#settle(message);
      this.#context.count('dropped_msgs_total', 1);
      return;
    }
    const { topic, payload, retain: retained, historical } = outgoing;
    const generation = this.#generation;
    if (this.#inFlight.size === 0) this.#lastAnswer = performance.now();
    this.#inFlight.add(message);
    this.#context.count('send_msgs_total', 1);
    this.#context.count('send_bytes', payload.length);
    const settled: OnSettled = (refused) => {
      if (generation !== this.#generation) return;
      this.#works = true;
      this.#lastAnswer = performance.now();
      if (refused?.passing === true && this.#count(message) < maxAttempts) {
        connection.fail(`The broker refused a message for now: ${refused.reason}`);
        return;
      }
      if (refused === undefined) this.#settle(message);
      else this.#refuse(message, `the broker refused it: ${refused.reason}`);
      this.pump();
    };
    connection.publish(topic, payload, settled, undefined, { retained, historical });
  }

  /** Counts an attempt that speaks against a message. Returns how many there were. */
  #count({ sequence }: SpoolRecord, add = 1): number {
    const attempts = sequence === this.#suspect.sequence ? this.#suspect.attempts : 0;
    this.#suspect = { sequence, attempts: attempts + add };
    return this.#suspect.attempts;
  }

  #settle(message: SpoolRecord): void {
    this.#inFlight.delete(message);
    this.#spool.acknowledge(message);
  }

  #watch(): void {
    const silent = performance.now() - this.#lastAnswer;
    if (this.#inFlight.size > 0 && silent > answerTimeout) {
      this.#connection?.fail(`The broker confirmed nothing for ${answerTimeout / 1000} seconds`);
    }
  }

  #refuse(message: SpoolRecord, reason: string): void {
    this.#settle(message);
    this.#context.count('send_msg_errors_total', 1);
    const told = this.#refused.add();
    if (told === 0) return;
    this.#context.log.error(
      `The node ${this.#context.node} gave up a message of ${message.data.length} bytes for the topic ` +
        `${message.key} because ${reason}.${othersSince(told)}`,
    );
  }
}
