import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { SignalCounts } from '../core/ports/telemetry.ts';
import type { Collector, Outcome } from './collector.ts';
import type { Outages } from './outages.ts';

/** Bytes of a signal that wait for a collector at most; the oldest are dropped. */
const queueMost = 4 << 20;
/** Milliseconds before the first repetition, and the longest of them. */
const firstWait = 1000;
const longestWait = 60_000;
/** Milliseconds that a collector may have a request wait. */
const longestAsked = 3_600_000;

/** What a collector says of a request that it took: what it left out of it. */
export interface Rejected {
  readonly items: number;
  readonly reason: string;
}

export interface SignalQueueOptions {
  readonly collector: Collector;
  readonly outages: Outages;
  readonly counts: SignalCounts;
  readonly isCompressed: boolean;
  /** Reads the answer of a collector. May throw. */
  readonly rejectedIn: (answer: Uint8Array) => Rejected;
  /** A request was too large for the collector. */
  readonly isTooLarge?: () => void;
}

interface Batch {
  readonly body: Uint8Array;
  readonly items: number;
}

/** The requests of a signal that wait for the collector, which gets one after the other. */
export class SignalQueue {
  readonly #options: SignalQueueOptions;
  readonly #batches: Batch[] = [];
  readonly #ending = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(options: SignalQueueOptions) {
    this.#options = options;
  }

  /** Adds a request and has it sent. Resolves when it is in the queue. */
  async add(body: Uint8Array, items: number): Promise<void> {
    const { counts, isCompressed } = this.#options;
    const batch = { body: isCompressed ? await promisify(gzip)(body) : body, items };
    if (this.#ending.signal.aborted) return;
    this.#batches.push(batch);
    counts.waiting += batch.body.length;
    // The newest stays, however large it is.
    while (counts.waiting > queueMost && this.#batches.length > 1) counts.dropped += this.#take().items;
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  /** Gives what waits `milliseconds` more, unless the collector is away, and ends. */
  async close(milliseconds: number): Promise<void> {
    const timer = setTimeout(() => this.#ending.abort(), milliseconds);
    if (this.#options.outages.has(this.#options.counts.signal)) this.#ending.abort();
    await this.#sending;
    clearTimeout(timer);
    this.#ending.abort();
  }

  #take(): Batch {
    const batch = this.#batches.shift()!;
    this.#options.counts.waiting -= batch.body.length;
    return batch;
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    const { collector, outages, counts } = this.#options;
    const { signal } = this.#ending;
    let wait = firstWait;
    while (this.#batches.length > 0 && !signal.aborted) {
      const batch = this.#batches[0]!;
      const outcome = await collector.send(`v1/${counts.signal}`, batch.body, signal);
      if (signal.aborted && outcome.kind !== 'taken') return;
      if (outcome.kind === 'later') {
        outages.begin(counts.signal, 'away', outcome);
        const pause = Math.min(outcome.after ?? wait * (0.75 + Math.random() / 2), longestAsked);
        await delay(pause, undefined, { signal }).catch(() => undefined);
        wait = Math.min(wait * 2, longestWait);
        continue;
      }
      wait = firstWait;
      // While it was sent, a full queue may have dropped it, which counted it.
      if (this.#batches[0] !== batch) continue;
      this.#take();
      this.#settle(batch, outcome);
    }
  }

  #settle({ items }: Batch, outcome: Exclude<Outcome, { kind: 'later' }>): void {
    const { outages, counts, isTooLarge } = this.#options;
    if (outcome.kind === 'refused') {
      counts.dropped += items;
      if (outcome.status === 413) isTooLarge?.();
      outages.begin(counts.signal, 'refused', outcome);
      return;
    }
    const rejected = this.#rejectedIn(outcome.answer);
    const dropped = Math.min(items, Math.max(0, rejected.items));
    counts.dropped += dropped;
    counts.sent += items - dropped;
    if (dropped === 0) outages.end(counts.signal);
    else
      outages.begin(counts.signal, 'refused', {
        reason: `it leaves out a part of them, ${shown(rejected.reason)}`,
        advice: 'The log of the collector says more.',
      });
  }

  /** An answer that is no message of OTLP came with a good status all the same. */
  #rejectedIn(answer: Uint8Array | undefined): Rejected {
    try {
      if (answer !== undefined && answer.length > 0) return this.#options.rejectedIn(answer);
    } catch {
      // Nothing was refused as far as anybody can know.
    }
    return { items: 0, reason: '' };
  }
}

/** Of a text that is not ours, as much as fits into a line of the log. */
function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, 200).replace(/\.$/, '');
  return line === '' ? 'without a reason' : `because of "${line}"`;
}
