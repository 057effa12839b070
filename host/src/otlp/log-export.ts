import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { LogEntry } from '../core/ports/telemetry.ts';
import { GatheredExport } from './gathered-export.ts';
import { encodeLogs, type LogOrigin, recordOf, rejectedRecords, sizeOf } from './log-data.ts';
import type { SignalQueueOptions } from './signal-queue.ts';

/** Sends entries of the log soon after they were logged. */
export class LogExport {
  readonly #origin: LogOrigin;
  readonly #gathered: GatheredExport<ReadableLogRecord>;

  constructor(sending: Omit<SignalQueueOptions, 'rejectedIn'>, origin: LogOrigin) {
    this.#origin = origin;
    this.#gathered = new GatheredExport({
      ...sending,
      encode: encodeLogs,
      sizeOf,
      rejectedIn: rejectedRecords,
    });
  }

  /** Never throws. */
  readonly take = (entry: LogEntry): void => this.#gathered.take(() => recordOf(entry, this.#origin));

  close(milliseconds: number): Promise<void> {
    return this.#gathered.close(milliseconds);
  }
}
