import { ErrorCode, errorMeaning } from '@tagway/schemas';
import type { Context } from '../context.ts';
import type { Column, Sample } from '../sample.ts';
import type { GroupConfig } from './protocol.ts';

/** These say nothing of a tag: the line about the link or the node tells of all of them. */
const ofAll: ReadonlySet<number> = new Set([
  ErrorCode.DISCONNECTED,
  ErrorCode.NOT_RUNNING,
  ErrorCode.NOT_READY,
  ErrorCode.VALUE_EXPIRED,
]);

/** Milliseconds after which a cause that lasts, or comes back, is told again. */
const repeatAfter = 3_600_000;
/** Milliseconds between lines about one cause to which more tags are added. */
const growAfter = 60_000;
/** Causes of one node that are remembered as told. */
const mostCauses = 100;
/** Tags that a line names. */
const mostNamed = 10;

/** Why tags of one group fail: a code and a sentence. */
interface Cause {
  readonly code: number;
  readonly text: string;
  /** Monotonic times: of the first line since the tags were all unsaid, and from when on there may be another. */
  saidAt: number;
  next: number;
  /** 1 for each column that was told of. */
  said: Uint8Array;
}

/** What one sample adds to a cause. */
interface News {
  readonly cause: Cause;
  readonly columns: number[];
  count: number;
}

/**
 * Tells the log why tags fail: one line per cause with the tags concerned, again for further tags, and after an hour. It looks at every
 * sample that has faults, and makes nothing of those that it knows.
 */
export class FaultLog {
  readonly #context: Pick<Context, 'clock' | 'log'>;
  readonly #causes = new Map<string, Cause>();
  #fullUntil = -Infinity;

  constructor(context: Pick<Context, 'clock' | 'log'>) {
    this.#context = context;
  }

  observe({ faults, reasons }: Pick<Sample, 'faults' | 'reasons'>, { group, layout }: GroupConfig): void {
    if (faults.length === 0) return;
    const now = this.#context.clock.monotonic();
    const byText: (Cause | undefined)[] = [];
    const news = new Map<Cause, News>();
    for (let at = 0; at < faults.length; at += 2) {
      const column = faults[at] as number;
      const code = faults[at + 1] as number;
      if (ofAll.has(code)) continue;
      const index = reasons?.indices[at >> 1] ?? 0;
      let cause = byText[index];
      if (cause?.code !== code) {
        const text = reasons?.texts[index] || errorMeaning(code);
        cause = byText[index] = this.#causeOf(group, code, text, layout.columns.length, now);
        if (cause === undefined) continue;
      }
      if (now < cause.next || cause.said[column] === 1) continue;
      const entry = news.get(cause);
      if (entry === undefined) news.set(cause, { cause, columns: [column], count: 1 });
      else if (++entry.count <= mostNamed) entry.columns.push(column);
      cause.said[column] = 1;
    }
    for (const entry of news.values()) this.#tell(entry, layout.group, layout.columns, now);
  }

  /** Undefined when there are too many different ones. */
  #causeOf(group: number, code: number, text: string, columns: number, now: number): Cause | undefined {
    const key = `${group} ${code} ${text}`;
    let cause = this.#causes.get(key);
    if (cause === undefined) {
      if (!this.#hasRoom(now)) return undefined;
      cause = { code, text, saidAt: -Infinity, next: -Infinity, said: new Uint8Array(columns) };
      this.#causes.set(key, cause);
    } else if (now - cause.saidAt >= repeatAfter || cause.said.length !== columns) {
      cause.said = new Uint8Array(columns);
    }
    return cause;
  }

  #hasRoom(now: number): boolean {
    if (this.#causes.size < mostCauses) return true;
    for (const [key, { saidAt }] of this.#causes) if (now - saidAt >= repeatAfter) this.#causes.delete(key);
    if (this.#causes.size < mostCauses) return true;
    if (now >= this.#fullUntil) {
      this.#fullUntil = now + repeatAfter;
      this.#context.log.warn(
        `Tags fail for more than ${mostCauses} different reasons; for an hour further ones are in what is read alone.`,
      );
    }
    return false;
  }

  #tell({ cause, columns, count }: News, group: string, all: readonly Column[], now: number): void {
    const { code, text } = cause;
    if (now - cause.saidAt >= repeatAfter) cause.saidAt = now;
    cause.next = now + growAfter;
    const named = columns.map((column) => `${all[column]?.name} (${all[column]?.address})`).join(', ');
    const rest = count > columns.length ? ` and ${count - columns.length} more` : '';
    this.#context.log.warn(`${text} (error ${code}) Group "${group}", tags concerned: ${named}${rest}.`);
  }
}
