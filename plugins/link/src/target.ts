import { type AppContext, type DriverState, LinkState, RunningState, type TagWrite } from '@tagway/sdk';
import type { Row } from './row.ts';

/** Most writes of one call to a driver that writes several tags at once. */
const most = 500;

/** Milliseconds from one look at rows that have failed to the next. */
const retryTick = 100;

export interface TargetEvents {
  /** A row was written, or was not for this reason. */
  written(row: Row, value: TagWrite['value'], failure: string | undefined): void;
  /** The rows cannot be written now, for this reason, or can be again. */
  linked(driver: string, rows: Iterable<Row>, failure: string | undefined): void;
}

type TargetContext = Pick<AppContext, 'clock' | 'signal' | 'write'>;

/** A driver that is written: one call after the other, so that each row is written in order and has its newest value alone. */
export class Target {
  readonly #driver: string;
  readonly #context: TargetContext;
  readonly #events: TargetEvents;
  readonly rows = new Set<Row>();
  #queue: Row[] = [];
  readonly #failed = new Set<Row>();
  #isWriting = false;
  /** Undefined: there is no such driver. */
  #isUp: boolean | undefined;
  #writesMany = false;
  #retry: Disposable | undefined;

  constructor(driver: string, context: TargetContext, events: TargetEvents) {
    this.#driver = driver;
    this.#context = context;
    this.#events = events;
  }

  /** The state of the driver. When its link is back, what it may have lost is written again. */
  setState(state: DriverState | undefined): void {
    const before = this.#isUp;
    this.#writesMany = state?.writesMany === true;
    this.#isUp = state && state.running === RunningState.RUNNING && state.link === LinkState.CONNECTED;
    if (this.#isUp === false && before !== false)
      this.#events.linked(this.#driver, this.rows, reasonOf(state!));
    if (this.#isUp !== true || before === true) return;
    this.#events.linked(this.#driver, this.rows, undefined);
    for (const row of this.rows) {
      this.#forgive(row);
      if (row.isArmed) this.offer(row);
    }
    this.flush();
  }

  /** A row has something to write; one that has failed waits for its next attempt. */
  offer(row: Row): void {
    if (row.isQueued || row.retryAt !== 0) return;
    row.isQueued = true;
    this.#queue.push(row);
  }

  remove(row: Row): void {
    row.isGone = true;
    this.rows.delete(row);
    this.#failed.delete(row);
  }

  flush(): void {
    if (this.#isWriting || this.#isUp === false || this.#queue.length === 0) return;
    void this.#write();
  }

  stop(): void {
    this.#retry?.[Symbol.dispose]();
  }

  async #write(): Promise<void> {
    const { signal } = this.#context;
    this.#isWriting = true;
    while (!signal.aborted && this.#queue.length > 0 && !this.#isDown()) {
      const rows = this.#next();
      if (rows.length === 0) continue;
      const writes = rows.map((row) => ({ ...row.write }));
      try {
        const faults = await this.#context.write(writes, { linked: true, signal });
        rows.forEach((row, index) => this.#settle(row, writes[index]!.value, faults[index]?.message));
      } catch (error) {
        // The run ends.
        if (signal.aborted) break;
        const reason = error instanceof Error ? error.message : String(error);
        rows.forEach((row, index) => this.#settle(row, writes[index]!.value, reason));
      }
    }
    this.#isWriting = false;
  }

  #isDown(): boolean {
    return this.#isUp === false;
  }

  /** A driver that writes one tag after the other gets one in a call: the others have newer values by the time that it is their turn. */
  #next(): Row[] {
    const rows: Row[] = [];
    const count = this.#writesMany ? most : 1;
    const now = this.#context.clock.now();
    let taken = 0;
    for (; taken < this.#queue.length && rows.length < count; taken++) {
      const row = this.#queue[taken]!;
      row.isQueued = false;
      // One that has failed meanwhile waits, however often its source changes.
      if (row.isGone || row.retryAt !== 0) continue;
      row.prepare(now);
      rows.push(row);
    }
    this.#queue = this.#queue.slice(taken);
    return rows;
  }

  #settle(row: Row, value: TagWrite['value'], failure: string | undefined): void {
    if (row.isGone) return;
    if (failure === undefined) {
      row.written++;
      row.confirmedAt = this.#context.clock.now();
      this.#forgive(row);
    } else {
      row.refused++;
      row.retryAt = this.#context.clock.monotonic() + row.backOff.next();
      this.#failed.add(row);
      this.#retry ??= this.#context.clock.timer(retryTick, this.#tryAgain);
    }
    this.#events.written(row, value, failure);
  }

  #forgive(row: Row): void {
    if (row.retryAt === 0) return;
    row.retryAt = 0;
    row.backOff.reset();
    this.#failed.delete(row);
  }

  readonly #tryAgain = (): void => {
    this.#retry = undefined;
    const now = this.#context.clock.monotonic();
    for (const row of this.#failed) {
      if (row.retryAt > now) continue;
      row.retryAt = 0;
      this.#failed.delete(row);
      this.offer(row);
    }
    if (this.#failed.size > 0) this.#retry = this.#context.clock.timer(retryTick, this.#tryAgain);
    this.flush();
  };
}

function reasonOf({ driver, running, reason }: DriverState): string {
  if (running !== RunningState.RUNNING) return `The node "${driver}" does not run.`;
  return reason ?? `The node "${driver}" is not connected.`;
}
