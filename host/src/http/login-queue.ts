import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';

/** Attempts of one client that may wait. */
const waitingMost = 100;
/** How many times as long as a wrong attempt took its client is not served: it takes a third of a core at most. */
const restOfClient = 2;
/** The same for all clients with wrong attempts together, which take half of a core at most. */
const restOfAll = 1;
/** Clients that are remembered; beyond it the one that was served longest ago is forgotten. */
const clientsMost = 1000;
/** Milliseconds after which a client's wrong attempts are forgotten. */
const memory = 900_000;

/** Where an attempt comes from. */
export interface LoginSource {
  readonly address: string;
  /** Stands for the connection; one on which an attempt was wrong comes after those on which none was. */
  readonly connection?: object;
  /** Nobody waits for the answer any more. */
  readonly isOver?: () => boolean;
}

interface Attempt {
  readonly source: LoginSource;
  readonly isFresh: boolean;
  make(): Promise<unknown>;
  give(error: Fault): void;
}

interface Client {
  readonly attempts: Attempt[];
  /** One of its attempts is being made. */
  isServed: boolean;
  /** When the latest wrong attempt was, and when the next one may be, on a clock in milliseconds that never goes back. */
  wrongAt: number;
  /** How many there were, each within a while of the one before. */
  wrongs: number;
  dueAt: number;
}

/**
 * Makes attempts to log in one at a time, for each takes a tenth of a second of a core. Clients take turns, those first that have
 * been wrong least often lately. One attempt of those that have not been wrong at all is made beside one of the others: however many
 * guess, somebody else's login does not wait for them.
 */
export class LoginQueue {
  /** The one that was served longest ago is the first. */
  readonly #clients = new Map<string, Client>();
  readonly #wrongOn = new WeakSet<object>();
  readonly #isBusy = { clean: false, other: false };
  #dueAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Settles as `login` does. Rejects with BUSY, without calling it, when very many of the same client wait already. */
  run(source: LoginSource, login: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const client = this.#client(source.address);
    if (client.attempts.length >= waitingMost) {
      reject(new Fault(ErrorCode.BUSY, 'Too many logins from this address wait for their turn.'));
      return promise;
    }
    const { connection } = source;
    const attempt: Attempt = {
      source,
      isFresh: connection === undefined || !this.#wrongOn.has(connection),
      make: () => this.#make(client, source, login).then(resolve, reject),
      give: reject,
    };
    const place = attempt.isFresh ? client.attempts.findIndex(({ isFresh }) => !isFresh) : -1;
    if (place < 0) client.attempts.push(attempt);
    else client.attempts.splice(place, 0, attempt);
    this.#serve();
    return promise;
  }

  async #make(client: Client, { connection }: LoginSource, login: () => Promise<void>): Promise<void> {
    const from = performance.now();
    try {
      await login();
    } catch (error) {
      if (isFault(error) && error.code === ErrorCode.CREDENTIALS_INVALID) {
        const now = performance.now();
        client.wrongs = now - client.wrongAt > memory ? 1 : client.wrongs + 1;
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
    this.#clients.delete(address);
    this.#clients.set(address, client);
    this.#isBusy[kind] = client.isServed = true;
    void client.attempts
      .shift()
      ?.make()
      .then(() => {
        this.#isBusy[kind] = client.isServed = false;
        this.#serve();
      });
  }

  /** Whose turn it is among the clients that have not been wrong and among those that have, or when there will be one of these. */
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
        attempts.shift()?.give(new Fault(ErrorCode.BUSY, 'The client went away.'));
      const isClean = now - wrongAt > memory;
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
    if (this.#clients.size >= clientsMost)
      for (const [other, { attempts, isServed }] of this.#clients)
        if (attempts.length === 0 && !isServed) {
          this.#clients.delete(other);
          break;
        }
    const client = { attempts: [], isServed: false, wrongAt: -Infinity, wrongs: 0, dueAt: 0 };
    this.#clients.set(address, client);
    return client;
  }
}
