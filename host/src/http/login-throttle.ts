import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import { LoginQueue, type LoginSource } from './login-queue.ts';

/** Failures in a row that cost nothing. */
const free = 5;
/** Milliseconds that the attempt after them waits; each further failure doubles it. */
const firstWait = 250;
/** The longest wait: an operator who is mixed up with a guesser waits this long for a turn. */
const longestWait = 2000;
/** Attempts of one user from one address that may wait for their turn. */
const waitingMost = 10;
/** Milliseconds after which failures are forgotten. */
const memory = 900_000;
/** Users and addresses that are remembered; beyond it the one whose last failure is the longest ago is forgotten. */
const most = 1000;

interface Record {
  failures: number;
  /** When the latest failure was, on a clock in milliseconds that never goes back. */
  at: number;
  waiting: number;
  /** Attempts take their turns one after the other. */
  turn: Promise<unknown>;
}

/**
 * Makes guessing passwords slow: after some failures in a row of one user from one address, each attempt waits longer, and
 * they are made one at a time. Nobody is locked out, and who calls from elsewhere notices nothing.
 */
export class LoginThrottle {
  readonly #records = new Map<string, Record>();
  readonly #queue = new LoginQueue();

  /**
   * Calls `login` when the turn of this attempt has come, and settles as it does. Rejects with BUSY when too many attempts of this user
   * from this address, or of the address, wait already.
   */
  async attempt(user: string, source: LoginSource, login: () => Promise<void>): Promise<void> {
    const key = `${source.address} ${user.slice(0, 200)}`;
    const record = this.#records.get(key);
    if (record === undefined || record.failures < free) return this.#make(key, source, login);
    if (record.waiting >= waitingMost)
      throw new Fault(ErrorCode.BUSY, 'Too many logins of this user wait for their turn.');
    record.waiting++;
    const turn = record.turn.then(async () => {
      const wait = Math.min(firstWait * 2 ** (record.failures - free), longestWait);
      await delay(Math.max(0, record.at + wait - performance.now()), undefined, { ref: false });
      await this.#make(key, source, login);
    });
    record.turn = turn.catch(() => undefined).finally(() => record.waiting--);
    return turn;
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
    if (record === undefined || now - record.at > memory)
      record = { failures: 0, at: now, waiting: 0, turn: Promise.resolve() };
    record.failures++;
    record.at = now;
    // The latest failure is the last entry.
    this.#records.delete(key);
    this.#records.set(key, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > most && oldest !== undefined) this.#records.delete(oldest);
  }
}
