import type { Fault } from '../fault.ts';
import type { Failure } from './failure.ts';
import { disconnected, malformed, noResponse } from './faults.ts';
import type { Link } from './link.ts';

/** What requests need of their link. */
export type RequestLink = Pick<
  Link<unknown>,
  'up' | 'closing' | 'context' | 'observe' | 'proven' | 'silent' | 'unanswered'
>;

/** What a queue tells a request. */
export interface Request {
  /** Milliseconds that this one may wait for its answer, in place of the queue's `timeout`. */
  readonly timeout?: number;
  /**
   * NO_RESPONSE after the deadline, DISCONNECTED when the link went, DECODE_FAILED when it was given up for what came, or the fault that `failAll` was given. `sent`: it was on its way, so
   * the device may have carried it out.
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
  readonly patience?: number;
}

interface Flight<R> {
  /** Undefined: nobody waits for the answer any more, but it is still to come. */
  request: R | undefined;
  id: number;
  sentAt: number;
  deadline: number;
  tries: number;
}

/**
 * Requests on their way over a link: which may leave, which answer is whose, which got none. This is the form without promises and
 * closures; `Requests` is the comfortable one. One timer serves all deadlines.
 */
export class RequestQueue<R extends Request> {
  window: number;
  readonly #link: RequestLink;
  readonly #options: RequestQueueOptions<R>;
  readonly #urgent: R[] = [];
  readonly #waiting: R[] = [];
  /** Requests that wait for answers, in the order of sending. They are few, and the oldest is mostly answered first. */
  readonly #flights: Flight<R>[] = [];
  /** Flights that have ended, to be used again. */
  readonly #landed: Flight<R>[] = [];
  /** Ids that stay unused because their answers may still come, the oldest first. */
  readonly #overdue = new Set<number>();
  readonly #mostOverdue: number;
  #id: number;
  #timer: Disposable | undefined;
  #wakeAt = Infinity;
  #check: NodeJS.Immediate | undefined;
  #patience: Disposable | undefined;
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
    return this.#flights.length;
  }

  /** Requests that wait to be sent. */
  get waiting(): number {
    return this.#urgent.length + this.#waiting.length;
  }

  /**
   * Takes a request; an urgent one passes those that wait. Calls nothing back before it returns. False: the link is down, and nothing was
   * taken.
   */
  add(request: R, urgent = false): boolean {
    if (!this.#link.up && (this.#options.patience ?? 0) === 0) return false;
    (urgent ? this.#urgent : this.#waiting).push(request);
    if (this.#link.up) this.#pump();
    else this.#armPatience();
    return true;
  }

  /** The request that waits for the answer with this id, or without ids the one that waits. Nothing is counted and nothing changes. */
  peek(id?: number): R | undefined {
    return this.#flightOf(id)?.request;
  }

  /**
   * The answer with this id has come: gives the request it belongs to, which no longer waits, and reports the round trip time. Undefined,
   * and counted, for an answer that is late or that nobody has asked for.
   */
  take(id?: number): R | undefined {
    const flight = this.#flightOf(id);
    const { count, clock, rtt } = this.#link.context;
    if (flight === undefined) {
      const late = id !== undefined && this.#overdue.delete(id);
      count(late ? 'late_frames' : 'foreign_frames', 1);
      return undefined;
    }
    const { request } = flight;
    this.#remove(flight);
    flight.request = undefined;
    this.#landed.push(flight);
    if (request === undefined) count('late_frames', 1);
    else rtt(clock.monotonic() - flight.sentAt);
    // Not before the caller has dealt with the answer.
    if (this.waiting > 0) this.#pumpLater();
    return request;
  }

  /** An answer came that says: wait. The deadline is moved to `ms` from now, by default the timeout. */
  extend(id?: number, ms?: number): boolean {
    const flight = this.#flightOf(id);
    if (flight === undefined) return false;
    flight.deadline = this.#now + (ms ?? flight.request?.timeout ?? this.#options.timeout);
    return true;
  }

  /** Forgets requests without a word to them; their answers will be dropped. Without ids, one that was sent still holds its place. */
  withdraw(requests: ReadonlySet<R>): void {
    for (const list of [this.#urgent, this.#waiting])
      for (let at = list.length - 1; at >= 0; at--) if (requests.has(list[at] as R)) list.splice(at, 1);
    for (const flight of this.#flights.slice())
      if (flight.request !== undefined && requests.has(flight.request)) this.#forget(flight);
    // Others may be withdrawn in the same breath, as those of one signal.
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
    while (this.#flights.length < window) {
      const request = this.#urgent.shift() ?? this.#waiting.shift();
      if (request === undefined) break;
      const id = this.#freeId();
      const now = this.#now;
      const deadline = now + (request.timeout ?? timeout);
      this.#flights.push(this.#newFlight(request, id, now, deadline));
      this.#options.send(request, id);
      sent = true;
      this.#watch(deadline);
    }
    if (sent) this.#options.flush?.();
  }

  #newFlight(request: R, id: number, sentAt: number, deadline: number): Flight<R> {
    const flight = this.#landed.pop();
    if (flight === undefined) return { request, id, sentAt, deadline, tries: 0 };
    flight.request = request;
    flight.id = id;
    flight.sentAt = sentAt;
    flight.deadline = deadline;
    flight.tries = 0;
    return flight;
  }

  #freeId(): number {
    const { ids } = this.#options;
    if (ids === undefined) return 0;
    do {
      this.#id = this.#id >= ids.last ? ids.first : this.#id + 1;
    } while (this.#flightOf(this.#id) !== undefined || this.#overdue.has(this.#id));
    return this.#id;
  }

  #flightOf(id: number | undefined): Flight<R> | undefined {
    if (this.#options.ids === undefined) return this.#flights[0];
    for (const flight of this.#flights) if (flight.id === id) return flight;
    return undefined;
  }

  #remove(flight: Flight<R>): void {
    const at = this.#flights.indexOf(flight);
    if (at === 0) this.#flights.shift();
    else if (at > 0) this.#flights.splice(at, 1);
  }

  /** Nobody waits for this answer any more. */
  #forget(flight: Flight<R>): void {
    if (this.#options.ids === undefined) flight.request = undefined;
    else this.#setOverdue(flight);
  }

  #setOverdue(flight: Flight<R>): void {
    this.#remove(flight);
    if (this.#options.ids === undefined) return;
    this.#overdue.add(flight.id);
    if (this.#overdue.size <= this.#mostOverdue) return;
    for (const oldest of this.#overdue) {
      this.#overdue.delete(oldest);
      break;
    }
  }

  /** Sees to it that the deadlines are looked at when this one is reached, at the latest. */
  #watch(deadline: number): void {
    if (deadline >= this.#wakeAt) return;
    this.#timer?.[Symbol.dispose]();
    this.#wakeAt = deadline;
    // The verdict waits until the sockets have been looked at, so that an answer counts that came while this process was held up.
    this.#timer = this.#link.context.clock.timer(Math.max(1, Math.ceil(deadline - this.#now)), () => {
      this.#check = setImmediate(this.#checkDeadlines);
    });
  }

  readonly #checkDeadlines = (): void => {
    this.#wakeAt = Infinity;
    const now = this.#now;
    let next = Infinity;
    for (const flight of this.#flights.slice()) {
      if (flight.deadline <= now) this.#expired(flight, now);
      if (this.#flights.includes(flight)) next = Math.min(next, flight.deadline);
    }
    if (next < Infinity) this.#watch(next);
    if (this.#link.up) this.#pump();
  };

  #expired(flight: Flight<R>, now: number): void {
    const { ids, retries = 0, timeout } = this.#options;
    const { request, id } = flight;
    // An earlier one may have ended the connection.
    if (!this.#flights.includes(flight)) return;
    if (request !== undefined && flight.tries < retries) {
      flight.tries++;
      flight.deadline = now + (request.timeout ?? timeout);
      this.#options.send(request, id);
      return this.#options.flush?.();
    }
    this.#setOverdue(flight);
    request?.failed(noResponse, true);
    if (ids === undefined) this.#link.silent();
    else this.#link.unanswered();
  }

  #up(): void {
    this.#overdue.clear();
    this.#patience?.[Symbol.dispose]();
    this.#patience = undefined;
    this.#pump();
  }

  #down({ kind }: Failure): void {
    this.#timer?.[Symbol.dispose]();
    clearImmediate(this.#check);
    this.#timer = undefined;
    this.#wakeAt = Infinity;
    this.#failSent(kind === 'malformed' ? malformed : disconnected);
    if (this.waiting > 0) this.#armPatience();
  }

  #armPatience(): void {
    const { patience = 0 } = this.#options;
    if (patience === 0 || this.#link.closing) return this.#failWaiting(disconnected);
    this.#patience ??= this.#link.context.clock.timer(patience, () => {
      this.#patience = undefined;
      this.#failWaiting(disconnected);
    });
  }

  #failSent(fault: Fault): void {
    const requests = this.#flights.map(({ request }) => request);
    for (const flight of this.#flights.slice()) this.#forget(flight);
    if (!this.#link.up) this.#flights.length = 0;
    for (const request of requests) request?.failed(fault, true);
  }

  #failWaiting(fault: Fault): void {
    for (const request of [...this.#urgent.splice(0), ...this.#waiting.splice(0)])
      request.failed(fault, false);
  }

  get #now(): number {
    return this.#link.context.clock.monotonic();
  }
}
