import type { AppContext, MessageSource, MessageTrace, TagWrite } from '@tagway/sdk';
import { LinkState } from '@tagway/sdk';
import { Link, type Row } from './row.ts';
import type { TargetEvents } from './target.ts';

/** Most lines of the log about rows within a minute. */
const mostLines = 20;
const minute = 60_000;

/** Most rows whose counts are shown when a trace begins. */
const mostShown = 500;

type ReportContext = Pick<AppContext, 'clock' | 'count' | 'gauge' | 'link' | 'log'>;

/** Lets operators know what becomes of rows: counts, the log, and the live messages of the node. */
export class Reports implements MessageSource, TargetEvents {
  readonly #context: ReportContext;
  #trace: MessageTrace | undefined;
  #rows: readonly Row[] = [];
  readonly #failing = new Set<Row>();
  #lines = 0;
  #unlogged = 0;
  #minute: Disposable | undefined;

  constructor(context: ReportContext) {
    this.#context = context;
  }

  set rows(rows: readonly Row[]) {
    this.#rows = rows;
    const present = new Set(rows);
    for (const row of this.#failing) if (!present.has(row)) this.#failing.delete(row);
    this.#context.gauge('rows', rows.length);
    this.#report();
  }

  readonly peer = (): string => 'drivers';

  trace(trace: MessageTrace | undefined): void {
    this.#trace = trace;
    if (trace === undefined) return;
    const first = [...this.#failing, ...this.#rows.filter((row) => !this.#failing.has(row))];
    for (const row of first.slice(0, mostShown)) this.#show(row, row.write.value, row.failure, true);
  }

  stop(): void {
    this.#minute?.[Symbol.dispose]();
  }

  written(row: Row, value: TagWrite['value'], failure: string | undefined): void {
    const { clock, count, gauge, log } = this.#context;
    const before = row.failure;
    row.failure = failure;
    if (failure === undefined) {
      count('send_msgs_total', 1);
      gauge('latency_ms', Math.max(0, clock.now() - row.sampledAt));
    } else count('send_msg_errors_total', 1);
    if (this.#trace !== undefined) this.#show(row, value, failure, false);
    if (before === failure) return;
    if (failure === undefined) {
      this.#failing.delete(row);
      this.#log(() => log.notice(`The ${row.name} writes "${row.target}" again.`));
    } else {
      this.#failing.add(row);
      this.#log(() =>
        log.warn(`The ${row.name} does not write "${row.target}", and tries again: ${failure}`),
      );
    }
    this.#report();
  }

  linked(driver: string, rows: Iterable<Row>, failure: string | undefined): void {
    let count = 0;
    for (const row of rows) {
      count++;
      row.failure = failure;
      if (failure === undefined) this.#failing.delete(row);
      else this.#failing.add(row);
    }
    if (failure !== undefined)
      this.#log(() => this.#context.log.warn(`${count} rows wait for "${driver}": ${failure}`));
    this.#report();
  }

  #report(): void {
    const { gauge, link } = this.#context;
    gauge('failing_rows', this.#failing.size);
    const [first] = this.#failing;
    if (first === undefined || this.#failing.size < this.#rows.length) link(LinkState.CONNECTED);
    else
      link(LinkState.DISCONNECTED, {
        reason: `No row is written. The ${first.name}: ${first.failure ?? ''}`,
      });
  }

  #show(row: Row, value: TagWrite['value'], failure: string | undefined, isCount: boolean): void {
    const age = Number.isNaN(row.confirmedAt)
      ? 'never'
      : `${((this.#context.clock.now() - row.confirmedAt) / 1000).toFixed(1)} s ago`;
    const origin = row instanceof Link ? row.row.source : undefined;
    const counts = `${row.name}${row instanceof Link ? ` from "${row.source}"` : ''}: ${row.written} written, ${row.refused} refused, the last confirmed ${age}`;
    this.#trace?.({
      direction: 'sent',
      topic: row.target,
      data: Buffer.from(String(value)),
      text: isCount ? counts : `${String(value)} (${counts})`,
      ...(origin && { of: { driver: origin.node, group: origin.group } }),
      ...(failure !== undefined && { failure }),
    });
  }

  /** Thousands of rows may fail at once. */
  #log(line: () => void): void {
    this.#minute ??= this.#context.clock.timer(minute, () => {
      this.#minute = undefined;
      if (this.#unlogged > 0)
        this.#context.log.warn(`${this.#unlogged} further changes of rows were not logged within a minute.`);
      this.#lines = this.#unlogged = 0;
    });
    if (this.#lines++ < mostLines) line();
    else this.#unlogged++;
  }
}
