import type { Kept } from './kept.ts';

/** A message on its way, finished: it is the same whenever it is sent again. */
export interface Message {
  /** Of all messages anywhere: the Message-ID, and the key of a webhook. */
  readonly id: string;
  /** Key of its target. */
  readonly target: string;
  /** When it was made, in milliseconds since the epoch. */
  readonly time: number;
  /** Receivers of e-mail that do not have it yet. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly body: string;
  /** Some of its receivers have it: the others are tried on for a while and hold up nothing. */
  readonly isRest?: true;
}

/** Messages that are to be sent. Both gateways of a pair have them. */
export class Outbox {
  readonly #kept: Kept;
  readonly #messages = new Map<string, Message>();

  constructor(kept: Kept) {
    this.#kept = kept;
    for (const [key, text] of kept.entries('message/')) this.#messages.set(key, JSON.parse(text) as Message);
  }

  get size(): number {
    return this.#messages.size;
  }

  /** When the oldest was made; undefined where there is none. */
  get oldest(): number | undefined {
    let oldest: number | undefined;
    for (const { time } of this.#messages.values()) oldest = Math.min(oldest ?? time, time);
    return oldest;
  }

  put(message: Message): void {
    const key = keyOf(message);
    this.#messages.set(key, message);
    this.#kept.set(key, JSON.stringify(message));
  }

  delete(message: Message): void {
    const key = keyOf(message);
    this.#messages.delete(key);
    this.#kept.set(key, undefined);
  }

  /** Whether a message of the target is still to be sent, so that what comes meanwhile waits for the next one. */
  isBusy(target: string): boolean {
    for (const message of this.#messages.values())
      if (message.target === target && message.isRest === undefined) return true;
    return false;
  }

  /** The oldest first. */
  all(): readonly Message[] {
    return [...this.#messages.values()];
  }
}

function keyOf({ time, id }: Message): string {
  return `message/${String(time).padStart(15, '0')}/${id}`;
}
