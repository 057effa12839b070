import { BoundedMap } from '../../core/system/bounded-map.ts';
import { TokenBucket, type BucketSize } from './token-bucket.ts';

export interface RateLimiterOptions {
  /** Of one client. */
  readonly each: BucketSize;
  /** Of all clients together that have taken more than a little lately. */
  readonly all: BucketSize;
  /** Of all clients together that have taken little, so that what others take does not hold them up. */
  readonly rare: BucketSize;
  /** Milliseconds that a request waits before it is refused. */
  readonly longestWait: number;
  /** Requests of one client that may wait. */
  readonly waitingMost: number;
}

/** What clients without a token may take, as the documentation says. */
const openLimits: RateLimiterOptions = {
  each: { share: 0.05, burst: 500 },
  all: { share: 0.1, burst: 1000 },
  rare: { share: 0.05, burst: 500 },
  longestWait: 10_000,
  waitingMost: 100,
};

/** A request that is to be handled as soon as the limit allows it. */
export interface LimitedRequest {
  /** Its client has gone. */
  isOver(): boolean;
  start(): void;
  /** It has waited for too long, or too many wait: its client may ask again after these seconds. */
  refuse(seconds: number): void;
}

interface Waiting {
  readonly since: number;
  readonly request: LimitedRequest;
}

interface Client {
  readonly bucket: TokenBucket;
  waiting: Waiting[];
}

/** What one pass of the event loop has done so far: for which clients how often, and how often for others. */
interface Pass {
  readonly from: number;
  /** CPU time of the thread when the pass began, in milliseconds. */
  readonly taken: number;
  readonly clients: Map<string, number>;
  others: number;
}

/** Milliseconds that the bucket of a client must hold for its next waiting request to start, so that timers do not cost more than the work. */
const worthwhile = 2;
/**
 * Most milliseconds that the shared buckets owe. Work that cannot wait, such as opening and closing connections, is charged in full to
 * the client that causes it, and to the shared bucket up to this limit, so that other clients do not wait long for it.
 */
const owedMost = 150;
/** Milliseconds of one pass of the event loop, after which further requests wait even if their buckets are full. */
const passMost = 10;
/** Milliseconds between two looks at the requests that wait. */
const pause = 20;
/** Clients that are remembered. */
const clientsMost = 1000;

/**
 * Limits the share of the event loop's time that clients take. It is measured by the pass of the loop: from the first thing that is
 * done for one of them to the end of the pass, divided among the clients for which something was done. The requests of a client whose
 * bucket is empty wait; of those that wait, the one of the fullest bucket is started first.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #now: () => number;
  readonly #taken: () => number;
  readonly #clients = new BoundedMap<string, Client>(clientsMost, ({ waiting }) => waiting.length === 0);
  readonly #all: TokenBucket;
  readonly #rare: TokenBucket;
  #pass: Pass | undefined;
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `now` is a clock that never goes back, and `taken` the CPU time of this thread, both in milliseconds. */
  constructor(
    options: RateLimiterOptions = openLimits,
    now: () => number = () => performance.now(),
    taken: () => number = threadTime,
  ) {
    this.#options = options;
    this.#now = now;
    this.#taken = taken;
    this.#all = new TokenBucket(options.all, now);
    this.#rare = new TokenBucket(options.rare, now);
  }

  /** Something is done for a client in this pass of the event loop. */
  note(client: string): void {
    if (this.#pass === undefined) {
      this.#pass = { from: this.#now(), taken: this.#taken(), clients: new Map(), others: 0 };
      setImmediate(() => this.#endPass());
    }
    const { clients } = this.#pass;
    clients.set(client, (clients.get(client) ?? 0) + 1);
  }

  /** Something is done in this pass that no client is charged for. */
  noteOther(): void {
    if (this.#pass !== undefined) this.#pass.others++;
  }

  charge(address: string, milliseconds: number): void {
    const client = this.#client(address);
    const shared = this.#sharedBy(client);
    client.bucket.take(milliseconds);
    shared.take(milliseconds, owedMost);
  }

  /** Starts a request of a client, at once or when the limit allows it. */
  admit(address: string, request: LimitedRequest): void {
    const client = this.#client(address);
    const isLong = this.#pass !== undefined && this.#now() - this.#pass.from > passMost;
    const isAllowed = !isLong && client.bucket.level > 0 && this.#sharedBy(client).level > 0;
    if (isAllowed && (this.#waiting === 0 || this.#isRare(client))) {
      this.note(address);
      request.start();
      return;
    }
    if (client.waiting.length >= this.#options.waitingMost) this.#dropOver(client);
    if (client.waiting.length >= this.#options.waitingMost) {
      this.note(address);
      request.refuse(this.#secondsOf(client));
      return;
    }
    client.waiting.push({ since: this.#now(), request });
    this.#waiting++;
    this.#wake();
  }

  /** Whether a client owes so much that not even its connections are taken. */
  isFarInDebt(address: string): boolean {
    const client = this.#clients.get(address);
    return client !== undefined && client.bucket.level < -this.#options.each.burst;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const client of this.#clients.values()) client.waiting = [];
    this.#waiting = 0;
  }

  #endPass(): void {
    const pass = this.#pass;
    this.#pass = undefined;
    if (pass === undefined) return;
    const taken = this.#taken() - pass.taken;
    let count = pass.others;
    for (const times of pass.clients.values()) count += times;
    for (const [client, times] of pass.clients) this.charge(client, (taken * times) / count);
  }

  #client(address: string): Client {
    const known = this.#clients.get(address);
    if (known !== undefined) return known;
    if (this.#clients.size >= clientsMost) this.#forgetIdle();
    const client = { bucket: new TokenBucket(this.#options.each, this.#now), waiting: [] };
    this.#clients.set(address, client);
    return client;
  }

  /** Forgets clients with a full bucket, so that the debts of others are kept. */
  #forgetIdle(): void {
    for (const [address, { bucket, waiting }] of this.#clients)
      if (waiting.length === 0 && bucket.isFull) this.#clients.delete(address);
  }

  /** Whether a client has taken little lately. */
  #isRare({ bucket }: Client): boolean {
    return bucket.level > this.#options.each.burst / 2;
  }

  /** The bucket that a client shares with others. */
  #sharedBy(client: Client): TokenBucket {
    return this.#isRare(client) ? this.#rare : this.#all;
  }

  #secondsOf({ bucket }: Client): number {
    return Math.min(60, Math.max(1, Math.ceil(-bucket.level / this.#options.each.share / 1000)));
  }

  #wake(): void {
    if (this.#timer === undefined && this.#waiting > 0)
      this.#timer = setTimeout(() => this.#startNext(), pause).unref();
  }

  /** Starts one request, of the client with the fullest bucket, and the next one after the first is charged. */
  #startNext(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#refuseLate();
    const next = this.#next();
    if (next === undefined) return this.#wake();
    const [address, client] = next;
    const first = client.waiting.shift();
    this.#waiting--;
    this.note(address);
    if (first?.request.isOver() === false) first.request.start();
    // By then the pass has been charged.
    setImmediate(() => this.#startNext());
  }

  #next(): [string, Client] | undefined {
    if (this.#waiting === 0) return undefined;
    let best: [string, Client] | undefined;
    for (const entry of this.#clients) {
      const [, client] = entry;
      if (client.waiting.length === 0 || this.#sharedBy(client).level <= 0) continue;
      const { level } = client.bucket;
      if (level > worthwhile && (best === undefined || level > best[1].bucket.level)) best = entry;
    }
    return best;
  }

  #refuseLate(): void {
    const latest = this.#now() - this.#options.longestWait;
    for (const [address, client] of this.#clients) {
      const { waiting } = client;
      while (waiting[0] !== undefined && waiting[0].since < latest) {
        const { request } = waiting[0];
        waiting.shift();
        this.#waiting--;
        if (request.isOver()) continue;
        this.note(address);
        request.refuse(this.#secondsOf(client));
      }
    }
  }

  #dropOver(client: Client): void {
    const before = client.waiting.length;
    client.waiting = client.waiting.filter(({ request }) => !request.isOver());
    this.#waiting -= before - client.waiting.length;
  }
}

/** CPU time of this thread in milliseconds, or time of the clock with a version of Node that does not measure CPU time. */
function threadTime(): number {
  const usage = (process as Partial<Pick<NodeJS.Process, 'threadCpuUsage'>>).threadCpuUsage?.();
  return usage === undefined ? performance.now() : (usage.user + usage.system) / 1000;
}
