import type { AppContext, MessageOrigin } from '@tagway/sdk';
import type { Spool, SpoolRecord } from '@tagway/sdk/spool';
import { LimitedLog } from '@tagway/store/log';
import type { ShownMessage, ShownMessages } from '@tagway/store/messages';
import type { OnSettled } from './broker.ts';
import type { Connection, PublishFlags } from './connection.ts';

/** Most messages in flight: the default of mosquitto. All of them are sent again after a lost connection. */
const maxInFlight = 20;

/** Bytes in the buffer of the socket above which sending waits. */
const maxUnsent = 1_000_000;

/**
 * Failures after which a message is given up. A message fails when the connection ends while it is the only message in flight and the broker
 * has confirmed another message on that connection, and when the broker refuses it with a temporary code.
 */
const maxAttempts = 8;

/** Room for topic and properties in a broker's limit on packets, in bytes. */
const packetMargin = 1024;

/** Milliseconds without any confirmation after which a connection with messages in flight is closed. */
const answerTimeout = 60_000;

export interface Outgoing extends PublishFlags {
  readonly topic: string;
  readonly payload: Buffer;
}

/** Where people see what becomes of messages, and how they see one whose payload is not for them. */
export interface Shown {
  readonly messages: ShownMessages;
  readonly of: (topic: string, payload: Buffer) => ShownMessage;
}

/**
 * Makes the message of a record, in the order on the wire and just before it is sent. `backlog`: the record waited for a
 * connection. Undefined when the record is of no use any more: it is counted as dropped.
 */
export type Encode = (record: SpoolRecord, backlog: boolean) => Outgoing | undefined;

/** The message of a record whose key is the topic. */
export function asQueued({ key, data: { buffer, byteOffset, byteLength } }: SpoolRecord): Outgoing {
  return { topic: key, payload: Buffer.from(buffer, byteOffset, byteLength) };
}

type SenderContext = Pick<AppContext, 'count' | 'gauge' | 'log' | 'clock' | 'node'>;

/** Sends the messages of the cache over the present connection, as fast as the broker confirms them. */
export class Sender {
  readonly #context: SenderContext;
  readonly #spool: Spool;
  /** Milliseconds between two messages of the backlog; 0 sends the backlog first and at once. */
  readonly #backlogInterval: number;
  readonly #encode: Encode;
  readonly #refused: LimitedLog;
  readonly #shown: Shown | undefined;
  readonly #inFlight = new Set<SpoolRecord>();
  /** The message that was alone in flight when a connection ended, and how many working connections ended so. */
  #suspect = { sequence: 0, attempts: 0 };
  /** The suspect, while another message shows whether this connection works. */
  #waitingSuspect: SpoolRecord | undefined;
  readonly #fromBacklog = new WeakSet<SpoolRecord>();
  #isHeld = false;
  #connection: Connection | undefined;
  /** Number of the connection: answers to messages of an earlier connection are ignored. */
  #generation = 0;
  /** The broker has confirmed a message on this connection. Until then one message is in flight. */
  #works = false;
  /** When the next message of the backlog is due. */
  #nextBacklog = 0;
  #backlogTimer: NodeJS.Timeout | undefined;
  #lastAnswer = 0;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(
    context: SenderContext,
    spool: Spool,
    backlogInterval: number,
    encode: Encode = asQueued,
    shown?: Shown,
  ) {
    this.#shown = shown;
    this.#context = context;
    this.#spool = spool;
    this.#encode = encode;
    this.#backlogInterval = backlogInterval;
    this.#refused = new LimitedLog(context.clock);
  }

  get connected(): boolean {
    return this.#connection !== undefined;
  }

  /** Queues a message, with values of a group if it has any. The next message should wait for the promise, if there is one. */
  send(topic: string, payload: Buffer, of?: MessageOrigin): Promise<void> | undefined {
    this.#shown?.messages.made(payload, of);
    this.#spool.push(topic, payload);
    this.pump();
    return this.#spool.drained;
  }

  /** Messages wait until `resume`; the connection stays. */
  hold(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    this.pump();
  }

  /** Sends over this connection from now on. */
  attach(connection: Connection): void {
    this.#connection = connection;
    this.#generation++;
    this.#works = false;
    this.#spool.connected();
    this.#watchdog = setInterval(() => this.#checkAnswers(), 1000);
    this.pump();
  }

  /** The connection has ended: messages without confirmation are sent again over the next one. */
  detach(): void {
    if (this.#connection === undefined) return;
    clearInterval(this.#watchdog);
    clearTimeout(this.#backlogTimer);
    this.#backlogTimer = undefined;
    this.#connection = undefined;
    this.#generation++;
    const [first, second] = this.#inFlight;
    // A link that breaks all the time must not cost a message: only a connection that worked counts.
    if (first !== undefined && second === undefined) this.#countFailure(first, this.#works ? 1 : 0);
    this.#waitingSuspect = undefined;
    this.#shown?.messages.lost('The connection ended before the broker confirmed it: it is sent again.');
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
        !this.#isHeld &&
        this.#inFlight.size < this.#windowOf(connection) &&
        connection.unsent < maxUnsent
      ) {
        const message = this.#takeBeforeSuspect();
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
    // The suspect is sent alone: if the connection ends again, the suspect is the cause.
    const [first] = this.#inFlight;
    if (!this.#works || this.#waitingSuspect !== undefined || first?.sequence === this.#suspect.sequence)
      return 1;
    return Math.min(maxInFlight, connection.window);
  }

  /** As `#take`, but sends another message, if there is one, before the suspect on a new connection. */
  #takeBeforeSuspect(): SpoolRecord | undefined {
    if (this.#waitingSuspect === undefined) {
      const message = this.#take();
      if (message?.sequence !== this.#suspect.sequence || this.#works) return message;
      this.#waitingSuspect = message;
    }
    const other = this.#works ? undefined : this.#take();
    if (other !== undefined) return other;
    // Another one is still being read from the disk.
    if (!this.#works && this.#spool.backlog > 0) return undefined;
    const suspect = this.#waitingSuspect;
    this.#waitingSuspect = undefined;
    return suspect;
  }

  #take(): SpoolRecord | undefined {
    const spool = this.#spool;
    if (spool.backlog === 0) return spool.takeLive();
    const interval = this.#backlogInterval;
    const now = performance.now();
    // The oldest message is the first on a connection: if it is the one that ends connections, it is alone when this one ends.
    if (interval === 0 || !this.#works) {
      this.#nextBacklog = now + interval;
      return this.#takeBacklog();
    }
    if (now >= this.#nextBacklog) {
      const message = this.#takeBacklog();
      // A timer that is a little late does not make the interval longer.
      if (message !== undefined) {
        const late = now - this.#nextBacklog;
        this.#nextBacklog = now + interval - (late < interval ? late : 0);
        return message;
      }
    } else {
      this.#backlogTimer ??= setTimeout(() => {
        this.#backlogTimer = undefined;
        this.pump();
      }, this.#nextBacklog - now);
    }
    return spool.takeLive();
  }

  #takeBacklog(): SpoolRecord | undefined {
    const message = this.#spool.takeBacklog();
    if (message !== undefined) this.#fromBacklog.add(message);
    return message;
  }

  #publish(connection: Connection, message: SpoolRecord): void {
    const { key, data, sequence } = message;
    // What `encode` adds is less than the margin.
    if (data.length + key.length + packetMargin > connection.largest)
      return this.#refuse(message, 'it is larger than the broker takes');
    if (sequence === this.#suspect.sequence && this.#suspect.attempts >= maxAttempts)
      return this.#refuse(message, `${maxAttempts} connections ended while the broker had it`);
    const outgoing = this.#encode(message, this.#fromBacklog.has(message));
    if (outgoing === undefined) {
      this.#settle(message);
      return this.#context.count('dropped_msgs_total', 1);
    }
    const { topic, payload } = outgoing;
    const shown = this.#shown;
    if (shown?.messages.areWanted === true) shown.messages.sending(data, shown.of(topic, payload));
    const generation = this.#generation;
    if (this.#inFlight.size === 0) this.#lastAnswer = performance.now();
    this.#inFlight.add(message);
    this.#context.count('send_msgs_total', 1);
    this.#context.count('send_bytes', payload.length);
    const settled: OnSettled = (refused) => {
      if (generation !== this.#generation) return;
      this.#works = true;
      this.#lastAnswer = performance.now();
      if (refused?.temporary === true && this.#countFailure(message) < maxAttempts)
        return connection.fail(`The broker refused a message for now: ${refused.reason}`);
      if (refused === undefined) {
        shown?.messages.settled(data);
        this.#settle(message);
      } else this.#refuse(message, `the broker refused it: ${refused.reason}`);
      this.pump();
    };
    connection.publish(topic, payload, settled, undefined, outgoing);
  }

  /** Counts a failure of a message. Returns its failures so far. */
  #countFailure({ sequence }: SpoolRecord, add = 1): number {
    const attempts = sequence === this.#suspect.sequence ? this.#suspect.attempts : 0;
    this.#suspect = { sequence, attempts: attempts + add };
    return this.#suspect.attempts;
  }

  #settle(message: SpoolRecord): void {
    this.#inFlight.delete(message);
    this.#spool.acknowledge(message);
  }

  #checkAnswers(): void {
    const silent = performance.now() - this.#lastAnswer;
    if (this.#inFlight.size > 0 && silent > answerTimeout)
      this.#connection?.fail(`The broker confirmed nothing for ${answerTimeout / 1000} seconds`);
  }

  /** Shows a message that will not be sent any more. */
  #show({ key, data }: SpoolRecord, failure: string): void {
    const shown = this.#shown;
    if (shown?.messages.areWanted !== true) return;
    if (!shown.messages.isOpen(data)) shown.messages.sending(data, { topic: key, data });
    shown.messages.settled(data, failure);
  }

  #refuse(message: SpoolRecord, reason: string): void {
    this.#show(message, `It was given up because ${reason}.`);
    this.#settle(message);
    this.#context.count('send_msg_errors_total', 1);
    const { log, node } = this.#context;
    this.#refused.add((others) =>
      log.error(
        `The node ${node} gave up a message of ${message.data.length} bytes for the topic ` +
          `${message.key} because ${reason}.${others}`,
      ),
    );
  }
}
