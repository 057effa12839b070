import { ErrorCode, errorMeaning } from '@tagway/schemas';
import type { Context } from '../../context.ts';
import type { Column, Sample } from '../../sample.ts';
import type { GroupColumns } from '../samples/group-columns.ts';

/** Codes that concern all tags: the line about the link or the node is enough. */
const ofAll: ReadonlySet<number> = new Set([
  ErrorCode.DISCONNECTED,
  ErrorCode.NOT_RUNNING,
  ErrorCode.NOT_READY,
  ErrorCode.VALUE_EXPIRED,
]);

/** Milliseconds after which a lasting or repeated cause is logged again. */
const repeatAfter = 3_600_000;
/** Milliseconds between lines about one cause to which more tags are added. */
const growAfter = 60_000;
/** Most causes of one node that are remembered as logged. */
const mostCauses = 100;
/** Most tags that a line names. */
const mostNamed = 10;

/** Why tags of one group fail: a code and a sentence. */
interface Cause {
  readonly group: number;
  readonly code: number;
  readonly text: string;
  /** Monotonic time of the first line since `logged` was empty. */
  loggedAt: number;
  /** Monotonic time from which on the next line may follow. */
  next: number;
  /** 1 for each column that was in a line. */
  logged: Uint8Array;
}

/** The columns that one sample adds to a cause. */
interface Addition {
  readonly cause: Cause;
  readonly columns: number[];
  count: number;
}

/**
 * Logs why tags fail: one line for each cause with the tags concerned, another for further tags, and again after an hour. It looks at every
 * sample with faults, and makes no objects for known ones.
 */
export class FaultLog {
  readonly #context: Pick<Context, 'clock' | 'log'>;
  readonly #causes = new Map<string, Cause>();
  #fullUntil = -Infinity;

  constructor(context: Pick<Context, 'clock' | 'log'>) {
    this.#context = context;
  }

  observe(
    { faults, reasons }: Pick<Sample, 'faults' | 'reasons'>,
    { group, layout }: Pick<GroupColumns, 'group' | 'layout'>,
  ): void {
    if (faults.length === 0) return;
    const now = this.#context.clock.monotonic();
    const byText: (Cause | undefined)[] = [];
    const additions = new Map<Cause, Addition>();
    for (let at = 0; at < faults.length; at += 2) {
      const column = faults[at]!;
      const code = faults[at + 1]!;
      if (ofAll.has(code)) continue;
      const index = reasons?.indices[at >> 1] ?? 0;
      let cause = byText[index];
      if (cause?.code !== code) {
        const text = reasons?.texts[index] || errorMeaning(code);
        cause = byText[index] = this.#causeOf(group, code, text, layout.columns.length, now);
        if (cause === undefined) continue;
      }
      if (now < cause.next || cause.logged[column] === 1) continue;
      const entry = additions.get(cause);
      if (entry === undefined) additions.set(cause, { cause, columns: [column], count: 1 });
      else if (++entry.count <= mostNamed) entry.columns.push(column);
      cause.logged[column] = 1;
    }
    for (const entry of additions.values()) this.#report(entry, layout.group, layout.columns, now);
  }

  /** A group is gone, and makes room for the causes of others. */
  forget(group: number): void {
    for (const [key, cause] of this.#causes) if (cause.group === group) this.#causes.delete(key);
  }

  /** Undefined when there are too many causes. */
  #causeOf(group: number, code: number, text: string, columns: number, now: number): Cause | undefined {
    const key = `${group} ${code} ${text}`;
    let cause = this.#causes.get(key);
    if (cause === undefined) {
      if (!this.#hasRoom(now)) return undefined;
      cause = { group, code, text, loggedAt: -Infinity, next: -Infinity, logged: new Uint8Array(columns) };
      this.#causes.set(key, cause);
    } else if (now - cause.loggedAt >= repeatAfter || cause.logged.length !== columns) {
      cause.logged = new Uint8Array(columns);
    }
    return cause;
  }

  #hasRoom(now: number): boolean {
    if (this.#causes.size < mostCauses) return true;
    for (const [key, { loggedAt }] of this.#causes)
      if (now - loggedAt >= repeatAfter) this.#causes.delete(key);
    if (this.#causes.size < mostCauses) return true;
    if (now >= this.#fullUntil) {
      this.#fullUntil = now + repeatAfter;
      this.#context.log.warn(
        `Tags fail for more than ${mostCauses} different reasons; for an hour further ones are in what is read alone.`,
      );
    }
    return false;
  }

  #report({ cause, columns, count }: Addition, group: string, all: readonly Column[], now: number): void {
    const { code, text } = cause;
    if (now - cause.loggedAt >= repeatAfter) cause.loggedAt = now;
    cause.next = now + growAfter;
    const named = columns.map((column) => `${all[column]?.name} (${all[column]?.address})`).join(', ');
    const rest = count > columns.length ? ` and ${count - columns.length} more` : '';
    this.#context.log.warn(`${text} (error ${code}) Group "${group}", tags concerned: ${named}${rest}.`);
  }
}
