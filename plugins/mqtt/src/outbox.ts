/** A message on its way to the broker. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  /** How many connections were lost while this message alone was unacknowledged on them. */
  attempts: number;
}

/** What a message costs beside its payload, so that many small ones are bounded too. */
const overhead = 128;

function cost(message: Message): number {
  return message.payload.length + message.topic.length * 2 + overhead;
}

/** A queue whose front is taken in constant time. */
class Fifo {
  #items: (Message | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(message: Message): void {
    this.#items.push(message);
  }

  shift(): Message | undefined {
    const message = this.#items[this.#head];
    if (message === undefined) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return message;
  }

  /** Puts messages before all others. */
  prepend(messages: readonly Message[]): void {
    this.#items = [...messages, ...this.#items.slice(this.#head)];
    this.#head = 0;
  }

  /** Takes all. */
  drain(): Message[] {
    const messages = this.#items.slice(this.#head) as Message[];
    this.#items = [];
    this.#head = 0;
    return messages;
  }
}

/**
 * All messages that the broker has not confirmed, oldest first and bounded in bytes: the newest are kept. A message stays
 * until it is settled. What waited while there was no broker is the backlog; it may be sent at a pace of its own, beside
 * the live messages. This is the stage in memory: a stage on disk would take what `push` drops from the backlog.
 */
export class Outbox {
  readonly #limit: number;
  readonly #live = new Fifo();
  readonly #backlog = new Fifo();
  readonly #inFlight = new Set<Message>();
  #online = false;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of all messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of messages that are not in flight. */
  get waiting(): number {
    return this.#live.size + this.#backlog.size;
  }

  /** Number of messages that were taken and not settled. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Number of messages that waited for a broker. */
  get backlog(): number {
    return this.#backlog.size;
  }

  /** Adds a message and returns how many were dropped to make room; the message itself when it alone is too large. */
  push(topic: string, payload: Buffer): number {
    const message: Message = { topic, payload, attempts: 0 };
    const size = cost(message);
    if (size > this.#limit) return 1;
    let dropped = 0;
    while (this.#bytes + size > this.#limit && this.#dropOldest()) dropped++;
    (this.#online ? this.#live : this.#backlog).push(message);
    this.#bytes += size;
    return dropped;
  }

  /** Takes the next message: of the backlog when that is wanted and there is one, else a live one. */
  take(backlog: boolean): Message | undefined {
    const message = (backlog ? this.#backlog.shift() : undefined) ?? this.#live.shift();
    if (message !== undefined) this.#inFlight.add(message);
    return message;
  }

  /** The broker has the message, or refused it: it is done. */
  settle(message: Message): void {
    if (this.#inFlight.delete(message)) this.#bytes -= cost(message);
  }

  /** There is a broker: what is pushed from now on is live. */
  connected(): void {
    this.#online = true;
  }

  /** The broker is gone: messages in flight go back to where they came from, and live ones wait behind the backlog. */
  disconnected(): void {
    this.#online = false;
    if (this.#inFlight.size === 1) for (const message of this.#inFlight) message.attempts++;
    this.#backlog.prepend([...this.#inFlight]);
    this.#inFlight.clear();
    for (const message of this.#live.drain()) this.#backlog.push(message);
  }

  /** A message that waits is dropped before one that is probably with the broker already. */
  #dropOldest(): boolean {
    const [sent] = this.#inFlight;
    const message = this.#backlog.shift() ?? this.#live.shift() ?? sent;
    if (message === undefined) return false;
    this.#inFlight.delete(message);
    this.#bytes -= cost(message);
    return true;
  }
}
