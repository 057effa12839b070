import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { LogEntry } from '../core/ports/telemetry.ts';
import { encodeLogs, type LogOrigin, recordOf, rejectedRecords, sizeOf } from './log-data.ts';
import { SignalQueue, type SignalQueueOptions } from './signal-queue.ts';

/** Milliseconds after which entries are sent. */
const pause = 1000;
/** Entries, and their characters, that are gathered at most until then: those that come later are dropped. */
const entriesMost = 2000;
const charactersMost = 2 << 20;
/** Entries of a request. */
const requestMost = 500;

/** Sends entries of the log soon after they were logged. */
export class LogExport {
  readonly #options: Omit<SignalQueueOptions, 'rejectedIn'> & { readonly origin: LogOrigin };
  readonly #queue: SignalQueue;
  #records: ReadableLogRecord[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #adding: Promise<void> = Promise.resolve();

  constructor(options: Omit<SignalQueueOptions, 'rejectedIn'> & { readonly origin: LogOrigin }) {
    this.#options = options;
    this.#queue = new SignalQueue({ ...options, rejectedIn: rejectedRecords });
  }

  /** Never throws. */
  readonly take = (entry: LogEntry): void => {
    const { origin, counts } = this.#options;
    if (this.#records.length >= entriesMost || this.#characters >= charactersMost) {
      counts.dropped++;
      return;
    }
    const record = recordOf(entry, origin);
    this.#records.push(record);
    this.#characters += sizeOf(record);
    this.#timer ??= setTimeout(() => this.#flush(), pause);
  };

  async close(milliseconds: number): Promise<void> {
    this.#flush();
    await this.#adding;
    await this.#queue.close(milliseconds);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const records = this.#records;
    this.#records = [];
    this.#characters = 0;
    this.#adding = this.#adding.then(async () => {
      for (let from = 0; from < records.length; from += requestMost) {
        const part = records.slice(from, from + requestMost);
        await this.#queue.add(encodeLogs(part), part.length);
      }
    });
  }
}
