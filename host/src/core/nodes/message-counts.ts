import type { TracedFrame } from '../ports/ports.ts';

/** What became of the messages of one subscription of an app since a trace began. */
export interface SubscriptionCount {
  /** Absent: messages of no subscription, or whose subscription is not known. */
  readonly driver?: string;
  readonly group?: string;
  readonly messages: number;
  readonly bytes: number;
  readonly failures: number;
  /** The latest failure. */
  readonly failure?: { readonly time: number; readonly topic: string; readonly text: string };
}

type Count = { -readonly [Key in keyof SubscriptionCount]: SubscriptionCount[Key] };

/** Counts the messages that an app has sent, by subscription. */
export class MessageCounts {
  readonly #counts = new Map<string, Count>();

  get all(): readonly SubscriptionCount[] {
    return [...this.#counts.values()];
  }

  add({ at, direction, of, size, topic = '', failure }: TracedFrame): void {
    if (direction !== 'sent') return;
    const key = of === undefined ? '' : JSON.stringify([of.driver, of.group]);
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { ...(of && { driver: of.driver, group: of.group }), messages: 0, bytes: 0, failures: 0 };
      this.#counts.set(key, count);
    }
    if (failure === undefined) {
      count.messages++;
      count.bytes += size;
    } else {
      count.failures++;
      count.failure = { time: Math.round(at), topic, text: failure };
    }
  }
}
