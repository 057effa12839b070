import { ErrorCode } from '@tagway/schemas';
import type { Audit, AuditEntry } from './audit.ts';

/** Attempts an hour that get an entry each: of one address or user, and of all together. */
export interface AttemptLimits {
  readonly each: number;
  readonly all: number;
}
const most: AttemptLimits = { each: 5, all: 50 };
/** Milliseconds. */
const hour = 3_600_000;
/** Milliseconds after which one entry counts the further attempts. */
const summaryAfter = 600_000;
/** Addresses and users that are counted in this entry. */
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
  ErrorCode.SIGN_IN_REFUSED,
]);

/** Whether a code says that the caller may not make a request. */
export function isRefusal(code: number): boolean {
  return refusals.has(code);
}

/**
 * Keeps refused attempts in the audit, so that many of them do not replace its other entries: the first ones of an hour get an entry each,
 * and one entry counts the rest.
 */
export class RefusedAttempts {
  readonly #audit: Pick<Audit, 'add'>;
  readonly #who: string;
  readonly #limits: AttemptLimits;
  readonly #counts = new Map<string, number>();
  #all = 0;
  #since = performance.now();
  #further = 0;
  #furtherOf = new Set<string>();
  #summary: NodeJS.Timeout | undefined;

  /** `who` is the plural of who makes the attempts, such as `addresses`. */
  constructor(audit: Pick<Audit, 'add'>, who: string, limits = most) {
    this.#audit = audit;
    this.#who = who;
    this.#limits = limits;
  }

  /** `by` is an address or the name of a user. */
  add(by: string, entry: AuditEntry): void {
    if (performance.now() - this.#since > hour) {
      this.#since = performance.now();
      this.#counts.clear();
      this.#all = 0;
    }
    const count = this.#counts.get(by) ?? 0;
    if (this.#all < this.#limits.all && count < this.#limits.each) {
      this.#all++;
      this.#counts.set(by, count + 1);
      this.#audit.add(entry);
      return;
    }
    this.#further++;
    if (this.#furtherOf.size < remembered) this.#furtherOf.add(by.slice(0, 100));
    this.#summary ??= setTimeout(() => this.sumUp(), summaryAfter).unref();
  }

  /** Adds one entry for the attempts that got none of their own. */
  sumUp(): void {
    clearTimeout(this.#summary);
    this.#summary = undefined;
    if (this.#further === 0) return;
    const [first = ''] = this.#furtherOf;
    const others = this.#furtherOf.size - 1;
    const whose = `${first}${others === 0 ? '' : ` and ${others} other ${this.#who}`}`;
    this.#audit.add({
      time: Date.now(),
      user: '',
      kind: 'nobody',
      error: ErrorCode.USER_NOT_PERMITTED,
      text: `${this.#further} more attempts of ${whose} were refused`,
    });
    this.#further = 0;
    this.#furtherOf = new Set();
  }
}
