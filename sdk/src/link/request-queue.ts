import type { Fault } from '../fault.ts';
import { Priority, PriorityQueue } from '../priority.ts';
import type { Failure } from './failure.ts';
import { disconnected, malformed, noResponse } from './faults.ts';
import type { Link } from './link.ts';

/** The part of a link that requests use. */
export type RequestLink = Pick<
  Link<unknown>,
  'up' | 'closing' | 'context' | 'observe' | 'proven' | 'silent' | 'unanswered'
>;

/** A request as its queue knows it. */
export interface Request {
  /** Milliseconds that this one may wait for its answer, in place of the queue's `timeout`. */
  readonly timeout?: number;
  /**
   * There is no answer: NO_RESPONSE after the deadline, DISCONNECTED when the link went, DECODE_FAILED when it was given up because of what
   * was received, or the fault that `failAll` was given. `sent`: it was on its way, so the device may have carried it out.
   */
  failed(fault: Fault, sent: boolean): void;
}

export interface RequestQueueOptions<R extends Request> {
  /** Sends a request. The `id` must come back with its answer; without `ids` it means nothing. */
  send(request: R, id: number): void;
  /** Called after one or more requests were given to `send` in one go: sends what that has gathered. */
  flush?(): void;
  /** Milliseconds to wait for the answer to one request, from when it is sent. */
  readonly timeout: number;
  /** Most requests that wait for their answers at the same time. Default 1. */
  readonly window?: number;
  /**
   * The ids, both ends included, by which answers name their requests. Absent: answers name nothing, so one request is in flight at a time,
   * and after one without answer the connection is given up, because a late answer could be taken for another one's.
   */
  readonly ids?: { readonly first: number; readonly last: number };
  /** How often a request that got no answer is sent again, with the same id, before it fails: for datagrams. Default 0. */
  readonly retries?: number;
  /** Milliseconds for which requests that were not sent wait for a link that is down. Default 0: they fail at once. */
  readonly waitForLink?: number;
  /** Milliseconds of quiet after a request was sent, and after it was answered or given up, before the next one is sent. Default 0. */
  readonly interval?: number;
}

/** A request that was sent. */
interface Sent<R> {
  /** Undefined: the request was withdrawn, but its answer is still to come. */
  request: R | undefined;
  id: number;
  sentAt: number;
  deadline: number;
  tries: number;
}

/**
 * The requests of a link: when each is sent, which answer belongs to it, and which got none. This is the form without promises and
 * closures; `Requests` is the one with promises. One timer serves all deadlines.
 */
export class RequestQueue<R extends Request> {
  window: number;
  readonly #link: RequestLink;
  readonly #options: RequestQueueOptions<R>;
  readonly #waiting = new PriorityQueue<R>();
  /** Requests that wait for answers, in the order of sending. They are few, and the oldest is mostly answered first. */
  readonly #sent: Sent<R>[] = [];
  /** Entries of `#sent` that are not in use. */
  readonly #free: Sent<R>[] = [];
  /** Ids that stay unused because their answers may still come, the oldest first. */
  readonly #overdue = new Set<number>();
  readonly #mostOverdue: number;
  #id: number;
  #deadlineTimer: Disposable | undefined;
  #wakeAt = Infinity;
  #check: NodeJS.Immediate | undefined;
  /** Ends the wait for a link that is down. */
  #linkTimer: Disposable | undefined;
  #quietUntil = -Infinity;
  #quietTimer: Disposable | undefined;
  #sending = false;
  #isPumpDue = false;

  constructor(link: RequestLink, options: RequestQueueOptions<R>) {
    const { first, last } = options.ids ?? { first: 0, last: 0 };
    this.#link = link;
    this.#options = options;
    this.window = options.window ?? 1;
    this.#mostOverdue = (last - first + 1) >> 1;
    this.#id = last;
    link.observe({ up: () => this.#up(), down: (failure) => this.#down(failure) });
  }

  /** Requests that wait for answers. */
  get inFlight(): number {
    return this.#sent.length;
  }

  /** Requests that wait to be sent. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Takes a request; it goes before waiting ones of a lower priority. Calls nothing back before it returns. False: the link is down, and
   * nothing was taken.
   */
  add(request: R, priority: Priority = Priority.POLL): boolean {
    if (!this.#link.up && (this.#options.waitForLink ?? 0) === 0) return false;
    this.#waiting.push(request, priority);
    if (this.#link.up) this.#pump();
    else this.#awaitLink();
    return true;
  }

  /** The request that waits for the answer with this id, or without ids the one that waits. Nothing is counted and nothing changes. */
  peek(id?: number): R | undefined {
    return this.#entryOf(id)?.request;
  }

  /**
   * The answer with this id has come: gives the request it belongs to, which no longer waits, and reports the round trip time. Undefined,
   * and counted, for an answer that is late or was not asked for.
   */
  take(id?: number): R | undefined {
    const entry = this.#entryOf(id);
    const { count, clock, rtt } = this.#link.context;
    if (entry === undefined) {
      const late = id !== undefined && this.#overdue.delete(id);
      count(late ? 'late_frames' : 'foreign_frames', 1);
      return undefined;
    }
    const { request } = entry;
    this.#remove(entry);
    entry.request = undefined;
    this.#free.push(entry);
    if (request === undefined) count('late_frames', 1);
    else rtt(clock.monotonic() - entry.sentAt);
    // After the caller has handled the answer.
    if (this.waiting > 0) this.#pumpLater();
    return request;
  }

  /** The device asks for more time: the deadline is moved to `ms` from now, by default the timeout. */
  extend(id?: number, ms?: number): boolean {
    const entry = this.#entryOf(id);
    if (entry === undefined) return false;
    entry.deadline = this.#now + (ms ?? entry.request?.timeout ?? this.#options.timeout);
    return true;
  }

  /** Removes requests: `failed` is not called for them, and their answers are dropped. Without ids, the next one still waits for the answer to one that was sent. */
  withdraw(requests: ReadonlySet<R>): void {
    this.#waiting.withdraw(requests);
    for (const entry of this.#sent.slice())
      if (entry.request !== undefined && requests.has(entry.request)) this.#forget(entry);
    // Others may be withdrawn at the same time, such as those of one signal.
    this.#pumpLater();
  }

  /** Fails all requests, sent or not. */
  failAll(fault: Fault): void {
    this.#failSent(fault);
    this.#failWaiting(fault);
  }

  #pumpLater(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(this.#pumpNow);
  }

  readonly #pumpNow = (): void => {
    this.#isPumpDue = false;
    if (this.#link.up) this.#pump();
  };

  #pump(): void {
    if (this.#sending) return;
    this.#sending = true;
    try {
      this.#sendAll();
    } finally {
      this.#sending = false;
    }
  }

  #sendAll(): void {
    const { ids, timeout } = this.#options;
    const window = ids === undefined ? 1 : this.window;
    let sent = false;
    while (this.#sent.length < window) {
      const request = this.#mustPause() ? undefined : this.#waiting.shift();
      if (request === undefined) break;
      const id = this.#freeId();
      const now = this.#now;
      const deadline = now + (request.timeout ?? timeout);
      this.#sent.push(this.#newEntry(request, id, now, deadline));
      this.#options.send(request, id);
      this.#keepQuiet();
      sent = true;
      this.#watch(deadline);
    }
    if (sent) this.#options.flush?.();
  }

  #keepQuiet(): void {
    const { interval = 0 } = this.#options;
    if (interval > 0) this.#quietUntil = this.#now + interval;
  }

  /** Whether nothing may be sent yet; sends once it may. */
  #mustPause(): boolean {
    const left = this.#quietUntil - this.#now;
    if (left <= 0 || this.waiting === 0) return false;
    this.#quietTimer ??= this.#link.context.clock.timer(Math.ceil(left), () => {
      this.#quietTimer = undefined;
      this.#pumpNow();
    });
    return true;
  }

  #newEntry(request: R, id: number, sentAt: number, deadline: number): Sent<R> {
    const entry = this.#free.pop();
    if (entry === undefined) return { request, id, sentAt, deadline, tries: 0 };
    entry.request = request;
    entry.id = id;
    entry.sentAt = sentAt;
    entry.deadline = deadline;
    entry.tries = 0;
    return entry;
  }

  #freeId(): number {
    const { ids } = this.#options;
    if (ids === undefined) return 0;
    do {
      this.#id = this.#id >= ids.last ? ids.first : this.#id + 1;
    } while (this.#entryOf(this.#id) !== undefined || this.#overdue.has(this.#id));
    return this.#id;
  }

  #entryOf(id: number | undefined): Sent<R> | undefined {
    if (this.#options.ids === undefined) return this.#sent[0];
    for (const entry of this.#sent) if (entry.id === id) return entry;
    return undefined;
  }

  #remove(entry: Sent<R>): void {
    this.#keepQuiet();
    const at = this.#sent.indexOf(entry);
    if (at === 0) this.#sent.shift();
    else if (at > 0) this.#sent.splice(at, 1);
  }

  /** The answer is ignored when it arrives. */
  #forget(entry: Sent<R>): void {
    if (this.#options.ids === undefined) entry.request = undefined;
    else this.#setOverdue(entry);
  }

  #setOverdue(entry: Sent<R>): void {
    this.#remove(entry);
    if (this.#options.ids === undefined) return;
    this.#overdue.add(entry.id);
    if (this.#overdue.size <= this.#mostOverdue) return;
    for (const oldest of this.#overdue) {
      this.#overdue.delete(oldest);
      break;
    }
  }

  /** Makes sure that deadlines are checked when this one is reached, at the latest. */
  #watch(deadline: number): void {
    if (deadline >= this.#wakeAt) return;
    this.#deadlineTimer?.[Symbol.dispose]();
    this.#wakeAt = deadline;
    // Received bytes are handled before, so that an answer counts that arrived while this process was blocked.
    this.#deadlineTimer = this.#link.context.clock.timer(Math.max(1, Math.ceil(deadline - this.#now)), () => {
      this.#check = setImmediate(this.#checkDeadlines);
    });
  }

  readonly #checkDeadlines = (): void => {
    this.#wakeAt = Infinity;
    const now = this.#now;
    let next = Infinity;
    for (const entry of this.#sent.slice()) {
      if (entry.deadline <= now) this.#expired(entry, now);
      if (this.#sent.includes(entry)) next = Math.min(next, entry.deadline);
    }
    if (next < Infinity) this.#watch(next);
    if (this.#link.up) this.#pump();
  };

  #expired(entry: Sent<R>, now: number): void {
    const { ids, retries = 0, timeout } = this.#options;
    const { request, id } = entry;
    // An earlier one may have ended the connection.
    if (!this.#sent.includes(entry)) return;
    if (request !== undefined && entry.tries < retries) {
      entry.tries++;
      entry.deadline = now + (request.timeout ?? timeout);
      this.#options.send(request, id);
      return this.#options.flush?.();
    }
    this.#setOverdue(entry);
    request?.failed(noResponse, true);
    if (ids === undefined) this.#link.silent();
    else this.#link.unanswered();
  }

  #up(): void {
    this.#overdue.clear();
    this.#linkTimer?.[Symbol.dispose]();
    this.#linkTimer = undefined;
    this.#pump();
  }

  #down({ kind }: Failure): void {
    this.#quietTimer?.[Symbol.dispose]();
    this.#quietTimer = undefined;
    this.#deadlineTimer?.[Symbol.dispose]();
    clearImmediate(this.#check);
    this.#deadlineTimer = undefined;
    this.#wakeAt = Infinity;
    this.#failSent(kind === 'malformed' ? malformed : disconnected);
    if (this.waiting > 0) this.#awaitLink();
  }

  #awaitLink(): void {
    const { waitForLink = 0 } = this.#options;
    if (waitForLink === 0 || this.#link.closing) return this.#failWaiting(disconnected);
    this.#linkTimer ??= this.#link.context.clock.timer(waitForLink, () => {
      this.#linkTimer = undefined;
      this.#failWaiting(disconnected);
    });
  }

  #failSent(fault: Fault): void {
    const requests = this.#sent.map(({ request }) => request);
    for (const entry of this.#sent.slice()) this.#forget(entry);
    if (!this.#link.up) this.#sent.length = 0;
    for (const request of requests) request?.failed(fault, true);
  }

  #failWaiting(fault: Fault): void {
    for (const request of this.#waiting.takeAll()) request.failed(fault, false);
  }

  get #now(): number {
    return this.#link.context.clock.monotonic();
  }
}
