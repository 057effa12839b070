import { ErrorCode } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import { BoundedMap } from '../system/bounded-map.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Attempts of one client that may wait. */
const waitingMost = 100;
/** After a wrong attempt the next one of its client waits for this many times its duration: a client uses at most a third of a core. */
const restOfClient = 2;
/** The next one of all clients with wrong attempts waits for this many times its duration: together they use at most half of a core. */
const restOfAll = 1;
/** Clients that are remembered. */
const clientsMost = 1000;
/** Milliseconds after which a client's wrong attempts are forgotten. */
const wrongsKept = 900_000;

/** Where an attempt comes from. */
export interface LoginSource {
  readonly address: string;
  /** The connection. Attempts on a connection with a wrong attempt are made after those on other connections. */
  readonly connection?: object;
  /** The client has gone. */
  readonly isOver?: () => boolean;
}

/** What decides when attempts are made. */
export interface AttemptQueue {
  /** Settles as `login` does, or rejects with BUSY without calling it. */
  run(source: LoginSource, login: () => Promise<void>): Promise<void>;
}

interface Attempt {
  readonly source: LoginSource;
  readonly isFresh: boolean;
  start(): Promise<unknown>;
  refuse(fault: Fault): void;
}

interface Client {
  readonly attempts: Attempt[];
  /** One of its attempts is being made. */
  isServed: boolean;
  /** When the latest wrong attempt was, in milliseconds of a clock that never goes back. */
  wrongAt: number;
  /** When the next attempt may be made, by the same clock. */
  dueAt: number;
  /** Number of wrong attempts; it begins anew when the latest one is older than `wrongsKept`. */
  wrongs: number;
}

/**
 * A queue of attempts to log in, which are made one at a time, because each takes a tenth of a second of a core. The client with the
 * fewest recent wrong attempts comes first, and of several the one that was served longest ago. Clients without wrong attempts have a
 * second queue of their own, so that their logins do not wait for clients that guess passwords.
 */
export class LoginQueue implements AttemptQueue {
  /** The client that was served longest ago is the first. */
  readonly #clients = new BoundedMap<string, Client>(
    clientsMost,
    ({ attempts, isServed }) => attempts.length === 0 && !isServed,
  );
  readonly #wrongOn = new WeakSet<object>();
  readonly #isBusy = { clean: false, other: false };
  #dueAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Settles as `login` does. Rejects with BUSY, without calling it, when too many attempts of the same client wait already. */
  run(source: LoginSource, login: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const client = this.#client(source.address);
    if (client.attempts.length >= waitingMost) {
      reject(new Refusal(ErrorCode.BUSY, sentence`Too many logins from this address wait for their turn.`));
      return promise;
    }
    const { connection } = source;
    const attempt: Attempt = {
      source,
      isFresh: connection === undefined || !this.#wrongOn.has(connection),
      start: () => this.#attempt(client, source, login).then(resolve, reject),
      refuse: reject,
    };
    const place = attempt.isFresh ? client.attempts.findIndex(({ isFresh }) => !isFresh) : -1;
    if (place < 0) client.attempts.push(attempt);
    else client.attempts.splice(place, 0, attempt);
    this.#serve();
    return promise;
  }

  async #attempt(client: Client, { connection }: LoginSource, login: () => Promise<void>): Promise<void> {
    const from = performance.now();
    try {
      await login();
    } catch (error) {
      if (isFault(error) && error.code === ErrorCode.CREDENTIALS_INVALID) {
        const now = performance.now();
        client.wrongs = now - client.wrongAt > wrongsKept ? 1 : client.wrongs + 1;
        client.wrongAt = now;
        client.dueAt = now + (now - from) * restOfClient;
        this.#dueAt = now + (now - from) * restOfAll;
        if (connection !== undefined) this.#wrongOn.add(connection);
      }
      throw error;
    }
  }

  #serve(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = performance.now();
    const { clean, due, soonest } = this.#next(now);
    if (clean !== undefined && !this.#isBusy.clean) this.#begin(...clean, 'clean');
    if (this.#isBusy.other) return;
    if (due !== undefined) this.#begin(...due, 'other');
    else if (Number.isFinite(soonest))
      this.#timer = setTimeout(() => this.#serve(), Math.max(1, soonest - now)).unref();
  }

  #begin(address: string, client: Client, kind: 'clean' | 'other'): void {
    this.#clients.set(address, client);
    this.#isBusy[kind] = client.isServed = true;
    void client.attempts
      .shift()
      ?.start()
      .then(() => {
        this.#isBusy[kind] = client.isServed = false;
        this.#serve();
      });
  }

  /** The next client without wrong attempts, the next one with some, and otherwise when one of these may be served. */
  #next(now: number): {
    readonly clean: readonly [string, Client] | undefined;
    readonly due: readonly [string, Client] | undefined;
    readonly soonest: number;
  } {
    let clean: readonly [string, Client] | undefined;
    let due: readonly [string, Client] | undefined;
    let soonest = Infinity;
    for (const [address, client] of this.#clients) {
      const { attempts, wrongAt, wrongs } = client;
      while (attempts[0]?.source.isOver?.() === true)
        attempts.shift()?.refuse(new Refusal(ErrorCode.BUSY, sentence`The client went away.`));
      const isClean = now - wrongAt > wrongsKept;
      if (attempts.length === 0) {
        if (isClean && !client.isServed) this.#clients.delete(address);
        continue;
      }
      const at = Math.max(client.dueAt, this.#dueAt);
      if (isClean) clean ??= [address, client];
      else if (at > now) soonest = Math.min(soonest, at);
      else if (due === undefined || wrongs < due[1].wrongs) due = [address, client];
    }
    return { clean, due, soonest };
  }

  #client(address: string): Client {
    const known = this.#clients.get(address);
    if (known !== undefined) return known;
    const client = { attempts: [], isServed: false, wrongAt: -Infinity, wrongs: 0, dueAt: 0 };
    this.#clients.set(address, client);
    return client;
  }
}
