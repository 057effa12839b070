/** A share of one core that may be taken, and how much of it may be saved up, in milliseconds. */
export interface Share {
  readonly share: number;
  readonly burst: number;
}

export interface BudgetOptions {
  /** Of one client. */
  readonly each: Share;
  /** Of all of them together that have taken more than a little lately. */
  readonly all: Share;
  /** Of all of them together that have taken little: what others take does not hold them up. */
  readonly rare: Share;
  /** Milliseconds that a request waits for its turn before it is refused. */
  readonly longestWait: number;
  /** Requests of one client that may wait. */
  readonly waitingMost: number;
}

/** What clients without a token may take: the general rule of the README. */
export const openBudget: BudgetOptions = {
  each: { share: 0.05, burst: 500 },
  all: { share: 0.1, burst: 1000 },
  rare: { share: 0.05, burst: 500 },
  longestWait: 10_000,
  waitingMost: 100,
};

/** A request that wants to be handled. */
export interface Turn {
  /** Nobody waits for it any more. */
  isOver(): boolean;
  start(): void;
  /** It waited for so long that it is to be told to come back in so many seconds. */
  refuse(seconds: number): void;
}

interface Waiting {
  readonly since: number;
  readonly turn: Turn;
}

interface Bucket {
  level: number;
  at: number;
  waiting: Waiting[];
}

/** Milliseconds that a client in debt is worth waking up for: less would be all timers and no work. */
const worthwhile = 2;
/**
 * Milliseconds that all may owe together. Most of what could not be held back, such as making and closing connections, is for those
 * who owe it themselves; others must not wait long for it.
 */
const owedMost = 150;
/** Milliseconds of one turn of the loop, after which what else is asked for waits, also where there is budget left. */
const turnMost = 10;
/** Least milliseconds between two looks at who waits. */
const pause = 20;
/** Clients that are remembered before those that owe nothing are forgotten. */
const many = 1000;

/**
 * Lets clients take no more than a share of the event loop's time. What they take is measured by the turn of the loop: from the
 * first thing that is done for one of them to the end of that turn, shared among those for whom something was done. Who has used
 * up the share waits, which costs nothing, and the one that has taken least goes first.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #now: () => number;
  readonly #taken: () => number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #all: Bucket;
  readonly #rare: Bucket;
  /** What this turn of the loop has done so far, for whom and for how many others. */
  #turn:
    | {
        readonly from: number;
        readonly taken: number;
        readonly clients: Map<string, number>;
        others: number;
      }
    | undefined;
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `now` is a clock that never goes back, and `taken` what this thread has taken of its core, in milliseconds. */
  constructor(
    options: BudgetOptions = openBudget,
    now: () => number = () => performance.now(),
    taken: () => number = threadTime,
  ) {
    this.#options = options;
    this.#now = now;
    this.#taken = taken;
    this.#all = { level: options.all.burst, at: now(), waiting: [] };
    this.#rare = { level: options.rare.burst, at: now(), waiting: [] };
  }

  /** Something is done for a client from here to the end of the turn. */
  note(client: string): void {
    if (this.#turn === undefined) {
      this.#turn = { from: this.#now(), taken: this.#taken(), clients: new Map(), others: 0 };
      setImmediate(() => this.#settle());
    }
    const { clients } = this.#turn;
    clients.set(client, (clients.get(client) ?? 0) + 1);
  }

  /** Something is done in this turn that nobody is charged for. */
  noteOther(): void {
    if (this.#turn !== undefined) this.#turn.others++;
  }

  charge(client: string, milliseconds: number): void {
    const now = this.#now();
    const bucket = this.#bucket(client, now);
    const shared = this.#sharedBy(bucket, now);
    bucket.level -= milliseconds;
    shared.level = Math.max(-owedMost, shared.level - milliseconds);
  }

  /** Starts what is to be done for a client, at once or when there is time for it. */
  admit(client: string, turn: Turn): void {
    const now = this.#now();
    const bucket = this.#bucket(client, now);
    const isLong = this.#turn !== undefined && now - this.#turn.from > turnMost;
    const isFree = !isLong && bucket.level > 0 && this.#sharedBy(bucket, now).level > 0;
    if (isFree && (this.#waiting === 0 || this.#isRare(bucket))) {
      this.note(client);
      turn.start();
      return;
    }
    if (bucket.waiting.length >= this.#options.waitingMost) this.#dropOver(bucket);
    if (bucket.waiting.length >= this.#options.waitingMost) {
      this.note(client);
      turn.refuse(this.#secondsOf(bucket));
      return;
    }
    bucket.waiting.push({ since: now, turn });
    this.#waiting++;
    this.#wake();
  }

  /** Whether a client has taken so much that not even its connections are worth having. */
  isFarInDebt(client: string): boolean {
    const bucket = this.#buckets.get(client);
    if (bucket === undefined) return false;
    return refill(bucket, this.#options.each, this.#now()).level < -this.#options.each.burst;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const bucket of this.#buckets.values()) bucket.waiting = [];
    this.#waiting = 0;
  }

  #settle(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined) return;
    const { clients, others } = turn;
    const taken = this.#taken() - turn.taken;
    let count = others;
    for (const times of clients.values()) count += times;
    for (const [client, times] of clients) this.charge(client, (taken * times) / count);
  }

  #bucket(client: string, now: number): Bucket {
    const known = this.#buckets.get(client);
    if (known !== undefined) return refill(known, this.#options.each, now);
    if (this.#buckets.size >= many) this.#forget(now);
    const bucket = { level: this.#options.each.burst, at: now, waiting: [] };
    this.#buckets.set(client, bucket);
    return bucket;
  }

  /** Forgets who owes nothing; where everybody does, the one that came first. */
  #forget(now: number): void {
    for (const [client, bucket] of this.#buckets)
      if (
        bucket.waiting.length === 0 &&
        refill(bucket, this.#options.each, now).level >= this.#options.each.burst
      )
        this.#buckets.delete(client);
    if (this.#buckets.size < many) return;
    for (const [client, { waiting }] of this.#buckets)
      if (waiting.length === 0) {
        this.#buckets.delete(client);
        return;
      }
  }

  /** Whether a client has taken little lately. */
  #isRare({ level }: Bucket): boolean {
    return level > this.#options.each.burst / 2;
  }

  /** What a client shares with others. */
  #sharedBy(bucket: Bucket, now: number): Bucket {
    return this.#isRare(bucket)
      ? refill(this.#rare, this.#options.rare, now)
      : refill(this.#all, this.#options.all, now);
  }

  #secondsOf({ level }: Bucket): number {
    return Math.min(60, Math.max(1, Math.ceil(-level / this.#options.each.share / 1000)));
  }

  #wake(): void {
    if (this.#timer === undefined && this.#waiting > 0)
      this.#timer = setTimeout(() => this.#pump(), pause).unref();
  }

  /** Starts one request, of the client that has taken least, and looks again when it is known what that took. */
  #pump(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = this.#now();
    this.#refuseLate(now);
    const next = this.#next(now);
    if (next === undefined) return this.#wake();
    const [client, bucket] = next;
    const first = bucket.waiting.shift();
    this.#waiting--;
    this.note(client);
    if (first?.turn.isOver() === false) first.turn.start();
    // After what the turn took was charged.
    setImmediate(() => this.#pump());
  }

  #next(now: number): [string, Bucket] | undefined {
    if (this.#waiting === 0) return undefined;
    let best: [string, Bucket] | undefined;
    for (const entry of this.#buckets) {
      const [, bucket] = entry;
      if (bucket.waiting.length === 0) continue;
      refill(bucket, this.#options.each, now);
      if (this.#sharedBy(bucket, now).level <= 0) continue;
      if (bucket.level > worthwhile && (best === undefined || bucket.level > best[1].level)) best = entry;
    }
    return best;
  }

  #refuseLate(now: number): void {
    for (const [client, bucket] of this.#buckets) {
      const { waiting } = bucket;
      while (waiting[0] !== undefined && now - waiting[0].since > this.#options.longestWait) {
        const late = waiting.shift();
        this.#waiting--;
        if (late?.turn.isOver() !== false) continue;
        this.note(client);
        late.turn.refuse(this.#secondsOf(bucket));
      }
    }
  }

  #dropOver(bucket: Bucket): void {
    const before = bucket.waiting.length;
    bucket.waiting = bucket.waiting.filter(({ turn }) => !turn.isOver());
    this.#waiting -= before - bucket.waiting.length;
  }
}

/** Milliseconds of its core that this thread has taken; older versions of Node do not tell, and the clock has to do. */
function threadTime(): number {
  const told = (process as Partial<Pick<NodeJS.Process, 'threadCpuUsage'>>).threadCpuUsage?.();
  return told === undefined ? performance.now() : (told.user + told.system) / 1000;
}

function refill(bucket: Bucket, { share, burst }: Share, now: number): Bucket {
  bucket.level = Math.min(burst, bucket.level + (now - bucket.at) * share);
  bucket.at = now;
  return bucket;
}
