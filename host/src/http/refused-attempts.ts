import { ErrorCode } from '@tagway/schemas';
import type { Audit, AuditEntry } from '../core/audit.ts';

/** Attempts that have entries of their own in an hour: of one address or user, and of all. */
const most = { each: 5, all: 50 } as const;
/** Milliseconds. */
const hour = 3_600_000;
/** Milliseconds until those without an entry of their own are summed up in one. */
const summaryAfter = 600_000;
/** Addresses and users that are told apart. */
const remembered = 1000;

/** Codes of requests that were refused because of who makes them. */
const refusals = new Set<number>([
  ErrorCode.TOKEN_MISSING,
  ErrorCode.TOKEN_UNDECODABLE,
  ErrorCode.TOKEN_EXPIRED,
  ErrorCode.TOKEN_NOT_VALID,
  ErrorCode.TOKEN_INVALID,
  ErrorCode.CREDENTIALS_INVALID,
  ErrorCode.USER_NOT_PERMITTED,
]);

/** Whether a code says that the one who asks may not. */
export function isRefusal(code: number): boolean {
  return refusals.has(code);
}

/**
 * Keeps refused attempts in the audit in a way in which nobody can flush it with them: the first of an hour have entries of their own,
 * the others are counted in one entry.
 */
export class RefusedAttempts {
  readonly #audit: Pick<Audit, 'add'>;
  readonly #who: string;
  readonly #counts = new Map<string, number>();
  #all = 0;
  #since = performance.now();
  #untold = 0;
  #untoldOf = new Set<string>();
  #summary: NodeJS.Timeout | undefined;

  /** `who` names those whose attempts these are, in the plural. */
  constructor(audit: Pick<Audit, 'add'>, who: string) {
    this.#audit = audit;
    this.#who = who;
  }

  /** `by` is an address or the name of a user. */
  add(by: string, entry: AuditEntry): void {
    if (performance.now() - this.#since > hour) {
      this.#since = performance.now();
      this.#counts.clear();
      this.#all = 0;
    }
    const count = this.#counts.get(by) ?? 0;
    if (this.#all < most.all && count < most.each) {
      this.#all++;
      this.#counts.set(by, count + 1);
      this.#audit.add(entry);
      return;
    }
    this.#untold++;
    if (this.#untoldOf.size < remembered) this.#untoldOf.add(by.slice(0, 100));
    this.#summary ??= setTimeout(() => this.sumUp(), summaryAfter).unref();
  }

  /** Makes an entry of the attempts that have none yet. */
  sumUp(): void {
    clearTimeout(this.#summary);
    this.#summary = undefined;
    if (this.#untold === 0) return;
    const [first = ''] = this.#untoldOf;
    const others = this.#untoldOf.size - 1;
    const whose = `${first}${others === 0 ? '' : ` and ${others} other ${this.#who}`}`;
    this.#audit.add({
      ...{ time: Date.now(), user: '', kind: 'nobody', error: ErrorCode.USER_NOT_PERMITTED },
      text: `${this.#untold} more attempts of ${whose} were refused`,
    });
    this.#untold = 0;
    this.#untoldOf = new Set();
  }
}
