import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { BoundedMap } from '../system/bounded-map.ts';
import { type AttemptQueue, LoginQueue, type LoginSource } from './login-queue.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Failures in a row after which the next attempt waits. */
const failuresFree = 5;
/** Milliseconds that it waits; each further failure doubles them. */
const firstWait = 250;
/** Milliseconds that an attempt waits at most, which is also how long an operator waits at an address from which passwords are guessed. */
const longestWait = 2000;
/** Attempts of one user from one address that may wait. */
const waitingMost = 10;
/** Milliseconds after which failures are forgotten. */
const failuresKept = 900_000;
/** Users and addresses whose failures are remembered. */
const recordsMost = 1000;

interface Record {
  failures: number;
  /** When the latest failure was, in milliseconds of a clock that never goes back. */
  at: number;
  waiting: number;
  /** Resolves when the latest of the attempts that wait is done. */
  last: Promise<unknown>;
}

/**
 * Makes guessing passwords slow: after some failures in a row of one user from one address, each attempt waits longer, and
 * they are made one at a time. No user is locked out, and attempts from other addresses do not wait.
 */
export class LoginThrottle {
  /** The one with the latest failure is the last. */
  readonly #records = new BoundedMap<string, Record>(recordsMost);
  readonly #queue: AttemptQueue;

  constructor(queue: AttemptQueue = new LoginQueue()) {
    this.#queue = queue;
  }

  /**
   * Calls `login` when it may be tried, and settles as it does. Rejects with BUSY when too many attempts of this user from this address,
   * or of the address, wait already.
   */
  async attempt(user: string, source: LoginSource, login: () => Promise<void>): Promise<void> {
    const key = `${source.address} ${user.slice(0, 200)}`;
    const record = this.#records.get(key);
    if (record === undefined || record.failures < failuresFree) return this.#make(key, source, login);
    if (record.waiting >= waitingMost)
      throw new Refusal(ErrorCode.BUSY, sentence`Too many logins of this user wait for their turn.`);
    record.waiting++;
    const attempt = record.last.then(async () => {
      const wait = Math.min(firstWait * 2 ** (record.failures - failuresFree), longestWait);
      await delay(Math.max(0, record.at + wait - performance.now()), undefined, { ref: false });
      await this.#make(key, source, login);
    });
    record.last = attempt.catch(() => undefined).finally(() => record.waiting--);
    return attempt;
  }

  async #make(key: string, source: LoginSource, login: () => Promise<void>): Promise<void> {
    try {
      await this.#queue.run(source, login);
    } catch (error) {
      if (isFault(error) && error.code === ErrorCode.CREDENTIALS_INVALID) this.#failed(key);
      throw error;
    }
    this.#records.delete(key);
  }

  #failed(key: string): void {
    const now = performance.now();
    let record = this.#records.get(key);
    if (record === undefined || now - record.at > failuresKept)
      record = { failures: 0, at: now, waiting: 0, last: Promise.resolve() };
    record.failures++;
    record.at = now;
    this.#records.set(key, record);
  }
}
