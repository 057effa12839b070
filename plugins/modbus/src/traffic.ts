import type { Clock, Fault } from '@tagway/sdk';
import { disconnected, type Failure } from '@tagway/sdk/link';
import type { Exchange, Link } from './link.ts';
import type { Pace } from './pace.ts';
import type { Units } from './units.ts';

/** Who goes first when several have something to send: the lower number. */
export const Turn = { WRITE: 0, REQUEST: 1, POLL: 2 } as const;
type Turn = (typeof Turn)[keyof typeof Turn];

/** What is sent, and how it is to be treated. */
export interface Sendable extends Exchange {
  /** The device may close the connection when it is asked this. */
  readonly isSuspect: boolean;
  /** No answer is expected, so that it is to hold nobody back. */
  readonly isSpare: boolean;
  /** It was answered before, whatever is held against its unit. */
  readonly isKnownGood?: boolean;
  /** Made with the request, for the traffic to use. */
  readonly flight: Flight;
}

/** What the traffic knows of a request that is in flight. It lives as long as the request, so that sending one makes no object. */
export class Flight {
  sender: Sender | undefined;
  sentAt = 0;
  isSuspect = false;
  /** It holds only its own unit back. */
  isSpare = false;
}

/** Somebody who has requests to send, such as one reading of one group. It tells the traffic how each of them has ended. */
export interface Sender {
  readonly turn: Turn;
  /** The next request that may leave now. `onlySpare`: there is room only for one that holds nobody back. */
  next(onlySpare: boolean): Sendable | undefined;
  /** When `next` has one that must wait until then, by the monotonic clock; Infinity when nothing waits for a time. */
  readonly nextAt: number;
  /** The connection went while this request was in flight. `isCause`: because of it, as far as can be told. */
  lost(request: Sendable, isCause: boolean): void;
  /** There is no connection, and there was none for too long: nothing more of this sender will be sent. */
  broken(fault: Fault): void;
}

/** Least time after which a request counts as overdue, in milliseconds, and the multiple of the usual round trip time. */
const overdue = { least: 100, factor: 4 };

/** How long a suspect waits on a new connection for somebody else to show that it works, in milliseconds. */
const longestHold = 1000;

/**
 * What all who send over the link of a node share: its window, the pace, and who goes first. Among those of the same turn one request of
 * each in turn leaves. A request whose answer is overdue holds back its own unit alone. When the device closes the connection,
 * the units that were being asked are suspected: they are asked one at a time, and not before somebody else has been
 * answered on the new connection. A suspect with which the connection closes is taken for the cause, and nobody else is harmed:
 * what was in flight beside it is sent again.
 */
export class Traffic {
  readonly #link: Link;
  readonly #pace: Pace;
  readonly #units: Units;
  readonly #clock: Clock;
  /** Makes a sender of a request that is likely to be answered, if one is known. */
  readonly #makeCheck: () => Sender | undefined;
  readonly #senders: Sender[] = [];
  /** Requests in flight, in the order of sending; how many of them are spare, and how many suspects. */
  readonly #flying: Sendable[] = [];
  #spare = 0;
  #suspects = 0;
  /** Requests that were in flight when the connection went. */
  readonly #lost: Sendable[] = [];
  /** Polls that waited while a request was not answered: they go before the next one. */
  readonly #owed = new Set<Sender>();
  #rtt: number | undefined;
  /** When the request was sent that was measured last. */
  #measured = 0;
  /** Something was answered on this connection. */
  #heard = false;
  #upAt = 0;
  /** A suspect waits for somebody to be heard. */
  #isHolding = false;
  #hasChecked = false;
  #patientUntil = 0;
  #explained = 0;
  #timer: Disposable | undefined;
  /** When the timer pumps, in the time of the clock's `monotonic`; Infinity when it does not. */
  #wakeAt = Infinity;
  #isPumping = false;

  constructor(link: Link, pace: Pace, units: Units, clock: Clock, makeCheck: () => Sender | undefined) {
    this.#link = link;
    this.#pace = pace;
    this.#units = units;
    this.#clock = clock;
    this.#makeCheck = makeCheck;
    link.onRead = () => this.pump();
    link.onUp = () => this.#up();
    link.onDown = (failure) => this.#down(failure);
  }

  /** Whether there is a connection, or one may be back in a moment. */
  get isOpen(): boolean {
    return this.#link.up || this.#clock.monotonic() < this.#patientUntil;
  }

  /** Counts connections but for those that a known cause has ended. */
  get epoch(): number {
    return this.#link.generation - this.#explained;
  }

  /** Takes a sender, while `isOpen`, and sends what it has. */
  add(sender: Sender): void {
    this.#senders.push(sender);
    this.pump();
  }

  /** Forgets a sender and its requests. */
  remove(sender: Sender): void {
    const at = this.#senders.indexOf(sender);
    if (at >= 0) this.#senders.splice(at, 1);
    this.#owed.delete(sender);
    if (this.#senders.length === 0 && this.#link.up) this.#disarm();
    const flying = this.#flying.filter(({ flight }) => flight.sender === sender);
    if (flying.length === 0) return;
    for (const request of flying) this.#leave(request);
    this.#link.abandon(new Set(flying));
    this.pump();
  }

  /** Whether a request to this unit may leave now. */
  allows(unit: number, isSuspect: boolean): boolean {
    if (isSuspect && this.#suspects > 0) return false;
    if (this.#spare > 0)
      for (const request of this.#flying) if (request.flight.isSpare && request.unit === unit) return false;
    if (!isSuspect || this.#heard) return true;
    if (!this.#units.hasOthers(unit) && this.#units.goodRead === undefined) return true;
    this.#isHolding = true;
    return this.#clock.monotonic() >= this.#upAt + longestHold;
  }

  /** A request has ended; the connection has not. */
  ended(request: Sendable, wasAnswered: boolean): void {
    const wasFlying = this.#leave(request);
    this.#pace.used();
    const { sender, sentAt } = request.flight;
    if (!wasFlying || sender === undefined) return;
    // A sender and what it reads into are not to live as long as its requests.
    request.flight.sender = undefined;
    if (!wasAnswered) return this.#owe(sender);
    this.#heard = true;
    // Those that were sent together need not be measured one by one.
    if (sentAt === this.#measured) return;
    this.#measured = sentAt;
    const taken = this.#clock.monotonic() - sentAt;
    this.#rtt = this.#rtt === undefined ? taken : this.#rtt + (taken - this.#rtt) / 8;
  }

  /** A request has failed with the connection; `onDown` of the link follows. */
  failed(request: Sendable): void {
    if (this.#leave(request)) this.#lost.push(request);
  }

  /** Sends as much as may be sent now. */
  pump(): void {
    if (this.#isPumping || this.#link.isReading || !this.#link.up) return;
    this.#isPumping = true;
    this.#isHolding = false;
    const now = this.#clock.monotonic();
    this.#markOverdue(now);
    let pause = this.#pace.wait;
    while (pause <= 0 && this.#sendNext(now)) pause = this.#pace.wait;
    this.#isPumping = false;
    this.#link.flush();
    this.#arm(now, pause);
    if (this.#isHolding && !this.#hasChecked && this.#flying.length === 0) this.#check();
  }

  #sendNext(now: number): boolean {
    const { window, spares } = this.#link;
    const onlySpare = this.#flying.length - this.#spare >= window;
    const hasSpare = this.#spare < spares;
    if (onlySpare && !hasSpare) return false;
    // A write that was in flight when the connection went cannot be sent again.
    const isGuarded = this.#suspects > 0 && this.#flying.some(({ flight }) => isFresh(flight, now));
    if (!isGuarded && this.#sendFirst(this.#senders, Turn.WRITE, onlySpare, hasSpare, now)) return true;
    if (this.#owed.size > 0 && this.#sendFirst(this.#owed, Turn.POLL, onlySpare, hasSpare, now)) return true;
    return (
      this.#sendFirst(this.#senders, Turn.REQUEST, onlySpare, hasSpare, now) ||
      this.#sendFirst(this.#senders, Turn.POLL, onlySpare, hasSpare, now)
    );
  }

  /** Sends what the first sender of this turn has that has something. */
  #sendFirst(
    senders: Iterable<Sender>,
    turn: Turn,
    onlySpare: boolean,
    hasSpare: boolean,
    now: number,
  ): boolean {
    for (const sender of senders) {
      if (sender.turn !== turn) continue;
      const request = sender.next(onlySpare);
      if (request === undefined) continue;
      this.#send(sender, request, hasSpare, now);
      return true;
    }
    return false;
  }

  /** One request after the other that nobody answers would leave polls no room where there is room for one request at a time. */
  #owe({ turn }: Sender): void {
    if (turn !== Turn.REQUEST) return;
    for (const sender of this.#senders) if (sender.turn === Turn.POLL) this.#owed.add(sender);
  }

  #send(sender: Sender, request: Sendable, hasSpare: boolean, now: number): void {
    // Others of the same turn are next; a sender that has ended meanwhile is no longer there.
    const at = this.#senders.indexOf(sender);
    if (at >= 0 && at < this.#senders.length - 1) this.#senders.push(...this.#senders.splice(at, 1));
    const { flight } = request;
    flight.sender = sender;
    flight.sentAt = now;
    flight.isSuspect = this.isSuspect(request);
    flight.isSpare = request.isSpare && hasSpare;
    if (flight.isSuspect) this.#suspects++;
    if (flight.isSpare) this.#spare++;
    this.#flying.push(request);
    this.#link.send(request);
    this.#pace.used();
  }

  /** Returns whether the request was in flight. */
  #leave(request: Sendable): boolean {
    const at = this.#flying.indexOf(request);
    if (at < 0) return false;
    // Answers mostly come in order.
    if (at === 0) this.#flying.shift();
    else this.#flying.splice(at, 1);
    if (request.flight.isSuspect) this.#suspects--;
    if (request.flight.isSpare) this.#spare--;
    return true;
  }

  isSuspect(request: Sendable): boolean {
    if (request.isSuspect) return true;
    return request.isKnownGood !== true && this.#units.isSuspected(request.unit);
  }

  #markOverdue(now: number): void {
    const latest = now - this.#overdueAfter;
    for (const { flight } of this.#flying) {
      if (this.#spare >= this.#link.spares || flight.sentAt > latest) return;
      if (flight.isSpare) continue;
      flight.isSpare = true;
      this.#spare++;
    }
  }

  get #overdueAfter(): number {
    return this.#rtt === undefined ? Infinity : Math.max(overdue.least, overdue.factor * this.#rtt);
  }

  /** Comes back when something may be sent that may not be sent now. A timer that fires before stays, because setting one costs more. */
  #arm(now: number, pause: number): void {
    if (this.#senders.length === 0) return this.#disarm();
    const at = pause > 0 ? now + pause : this.#nextAt(now);
    if (at >= this.#wakeAt) return;
    this.#timer?.[Symbol.dispose]();
    this.#wakeAt = at;
    this.#timer = this.#clock.timer(Math.max(1, Math.ceil(at - now)), this.#wake);
  }

  #nextAt(now: number): number {
    let at = this.#isHolding ? this.#upAt + longestHold : Infinity;
    for (const sender of this.#senders) at = Math.min(at, sender.nextAt);
    if (this.#link.spares === 0) return at;
    const oldest = this.#spare === 0 ? this.#flying[0] : this.#flying.find(({ flight }) => !flight.isSpare);
    if (oldest !== undefined) at = Math.min(at, oldest.flight.sentAt + this.#overdueAfter);
    if (this.#suspects > 0)
      for (const { flight } of this.#flying)
        if (isFresh(flight, now)) at = Math.min(at, flight.sentAt + overdue.least);
    return at;
  }

  readonly #wake = (): void => {
    this.#disarm();
    this.pump();
  };

  #disarm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#wakeAt = Infinity;
  }

  /** Shows with a request that was answered before that the connection works, before it is put at risk. */
  #check(): void {
    this.#hasChecked = true;
    const check = this.#makeCheck();
    if (check !== undefined) this.add(check);
  }

  #up(): void {
    this.#upAt = this.#clock.monotonic();
    this.#heard = this.#hasChecked = false;
    this.#patientUntil = 0;
    this.#disarm();
    this.pump();
  }

  #down({ kind }: Failure): void {
    this.#disarm();
    const lost = this.#lost.splice(0);
    const isOurs = kind === 'timeout' || kind === 'given up';
    const isPatient = this.#heard && !isOurs && this.#link.grace > 0;
    this.#heard = false;
    const isClosed = kind === 'closed' || kind === 'error';
    const isExplained = isClosed && lost.some(({ flight }) => flight.isSuspect);
    if (isExplained) this.#explained++;
    else if (isClosed)
      for (const { unit, flight } of lost) if (flight.sender?.turn !== Turn.WRITE) this.#units.suspect(unit);
    if (isPatient) this.#patientUntil = this.#clock.monotonic() + this.#link.grace;
    for (const request of lost) request.flight.sender?.lost(request, isExplained && request.flight.isSuspect);
    if (isPatient) this.#timer = this.#clock.timer(this.#link.grace, () => this.#break());
    else if (!this.isOpen) this.#break();
  }

  #break(): void {
    this.#owed.clear();
    for (const sender of this.#senders.splice(0)) sender.broken(disconnected);
  }
}

/** Whether this suspect was sent so lately that it may still end the connection. */
function isFresh({ isSuspect, sentAt }: Flight, now: number): boolean {
  return isSuspect && now < sentAt + overdue.least;
}
