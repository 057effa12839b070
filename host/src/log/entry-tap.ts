import type { LogEntry } from '../core/ports/telemetry.ts';

/** Entries that are kept until somebody takes them: those of the start of the gateway. */
const most = 1000;

/** Hands the entries of the log on, beside its files. */
export class EntryTap {
  #kept: LogEntry[] = [];
  #take: ((entry: LogEntry) => void) | undefined;
  #isQuiet = false;

  push(entry: LogEntry): void {
    if (this.#isQuiet) return;
    if (this.#take !== undefined) this.#take(entry);
    else if (this.#kept.length < most) this.#kept.push(entry);
  }

  /** Hands on what there is, and from here on each entry as it is logged. */
  begin(take: (entry: LogEntry) => void): void {
    this.#take = take;
    for (const entry of this.#kept) take(entry);
    this.#kept = [];
  }

  /** Nothing that `log` logs is handed on: what hands the entries on would log about its own lines in a circle. */
  without(log: () => void): void {
    this.#isQuiet = true;
    try {
      log();
    } finally {
      this.#isQuiet = false;
    }
  }
}
