import type { Clock, Fault } from '@tagway/sdk';
import { disconnected, Priority, type Failure } from '@tagway/sdk/link';
import { judge, Verdict } from './protocol.ts';
import type { Exchange, Session, SessionEvents } from './session.ts';
import type { Units } from './units.ts';

/** What is sent, and how it is to be treated. */
export class Request implements Exchange {
  readonly unit: number;
  readonly pdu: Buffer;
  /** The device may close the connection when it is asked this. */
  isSuspect = false;
  /** No answer is expected: only its own unit waits for it. */
  isSpare = false;
  /** It was answered before, so it is not risky even when its unit is suspected. */
  isKnownGood = false;
  // What follows is set by the traffic that sends it. It is kept here so that sending makes no object.
  traffic: Traffic | undefined;
  sender: Sender | undefined;
  sentAt = 0;
  /** The connection may be closed because of it. */
  isRisky = false;
  /** It was sent beside the window, or its answer is overdue. */
  isBeside = false;

  constructor(unit: number, pdu: Buffer) {
    this.unit = unit;
    this.pdu = pdu;
  }

  answered(data: Buffer, start: number, end: number): boolean {
    return this.traffic?.answered(this, data, start, end) ?? true;
  }

  failed(fault: Fault): void {
    this.traffic?.failed(this, fault);
  }
}

/** What has requests to send, such as one read pass of one group. Each request that it gave out ends in one of `requestAnswered`, `requestFailed` and `requestLost`. */
export interface Sender {
  readonly priority: Priority;
  /** The next request that may leave now. `onlySpare`: there is room only for one that is spare. */
  next(onlySpare: boolean): Request | undefined;
  /** When `next` has one that must wait until then, by the monotonic clock; Infinity when nothing waits for a time. */
  readonly nextAt: number;
  /** `exception` is 0 for a good answer, whose protocol data unit begins at `data[start]`. */
  requestAnswered(request: Request, exception: number, data: Buffer, start: number): void;
  requestFailed(request: Request, fault: Fault): void;
  /** The connection went while this request was in flight. `isCause`: the request is the likely cause. */
  requestLost(request: Request, isCause: boolean): void;
  /** There is no connection, and there was none for too long: nothing more of this sender will be sent. */
  broken(fault: Fault): void;
}

/** Least time after which a request counts as overdue, in milliseconds, and the multiple of the usual round trip time. */
const overdue = { least: 100, factor: 4 };

/** How long a risky request waits on a new connection for another one to show that it works, in milliseconds. */
const longestHold = 1000;

/**
 * What all senders of a node share: the window of its session, the pause between requests, and who goes first. Senders of the same
 * priority send one request each, one after the other. A request whose answer is overdue holds back its own unit alone. When the device closes the
 * connection, the units that were being asked are suspected: they are asked one at a time, and not before another request was
 * answered on the new connection. A risky request with which the connection closes is taken for the cause, and what was in flight
 * beside it is sent again.
 */
export class Traffic implements SessionEvents {
  readonly session: Session;
  readonly #units: Units;
  readonly #clock: Clock;
  /** Milliseconds of silence after a request, and after its answer. */
  readonly #interval: number;
  /** Makes a sender of a request that is likely to be answered, if one is known. */
  readonly #makeCheck: () => Sender | undefined;
  readonly #senders: Sender[] = [];
  /** Requests in flight, in the order of sending; how many of them are beside the window, and how many risky. */
  readonly #flying: Request[] = [];
  #beside = 0;
  #risky = 0;
  /** Requests that were in flight when the connection went. */
  readonly #lost: Request[] = [];
  /** Polls that waited while a request was not answered: they go before the next one. */
  readonly #owed = new Set<Sender>();
  #quietUntil = 0;
  #rtt: number | undefined;
  /** When the request was sent that was measured last. */
  #measured = 0;
  /** Something was answered on this connection. */
  #heard = false;
  #upAt = 0;
  /** A risky request waits for another one to be answered. */
  #isHolding = false;
  #hasChecked = false;
  #graceUntil = 0;
  #explained = 0;
  #timer: Disposable | undefined;
  /** When the timer pumps, in the time of the clock's `monotonic`; Infinity when it does not. */
  #wakeAt = Infinity;
  #isPumping = false;

  constructor(
    connect: (events: SessionEvents) => Session,
    units: Units,
    clock: Clock,
    interval: number,
    makeCheck: () => Sender | undefined,
  ) {
    this.#units = units;
    this.#clock = clock;
    this.#interval = interval;
    this.#makeCheck = makeCheck;
    this.session = connect(this);
  }

  /** Whether there is a connection, or one may be back in a moment. */
  get isOpen(): boolean {
    return this.session.link.up || this.#clock.monotonic() < this.#graceUntil;
  }

  /** Counts connections but for those that a known cause has ended. */
  get epoch(): number {
    return this.session.link.generation - this.#explained;
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
    if (this.#senders.length === 0 && this.session.link.up) this.#disarm();
    if (this.#flying.length === 0) return;
    const flying = this.#flying.filter((request) => request.sender === sender);
    if (flying.length === 0) return;
    for (const request of flying) this.#leave(request);
    this.session.abandon(new Set(flying));
    this.pump();
  }

  /** Whether a request may leave now. */
  mayLeave(request: Request): boolean {
    return this.allows(request.unit, this.#isRisky(request));
  }

  /** Whether requests to this unit may leave now. */
  allows(unit: number, isRisky = this.#units.get(unit).suspected): boolean {
    if (isRisky && this.#risky > 0) return false;
    if (this.#beside > 0)
      for (const request of this.#flying) if (request.isBeside && request.unit === unit) return false;
    if (!isRisky || this.#heard) return true;
    if (!this.#units.hasOthers(unit) && this.#units.goodRead === undefined) return true;
    this.#isHolding = true;
    return this.#clock.monotonic() >= this.#upAt + longestHold;
  }

  /** The answer to a request has come: see `Exchange.answered`. */
  answered(request: Request, data: Buffer, start: number, end: number): boolean {
    const verdict = judge(request.pdu, data, start, end);
    if (verdict === Verdict.MALFORMED) return false;
    const sender = this.#ended(request, true);
    sender?.requestAnswered(request, verdict, data, start);
    this.pump();
    return true;
  }

  /** A request has failed: see `Exchange.failed`. */
  failed(request: Request, fault: Fault): void {
    if (fault === disconnected) {
      if (this.#leave(request)) this.#lost.push(request);
      return;
    }
    const sender = this.#ended(request, false);
    sender?.requestFailed(request, fault);
    this.pump();
  }

  read(): void {
    this.pump();
  }

  up(): void {
    this.#upAt = this.#clock.monotonic();
    this.#heard = this.#hasChecked = false;
    this.#graceUntil = 0;
    this.#disarm();
    this.pump();
  }

  down({ kind }: Failure): void {
    const { grace } = this.session;
    this.#disarm();
    const lost = this.#lost.splice(0);
    const isOurs = kind === 'timeout' || kind === 'given up';
    const hasGrace = this.#heard && !isOurs && grace > 0;
    this.#heard = false;
    const isClosed = kind === 'closed' || kind === 'error';
    const isExplained = isClosed && lost.some(({ isRisky }) => isRisky);
    if (isExplained) this.#explained++;
    else if (isClosed)
      for (const { unit, sender } of lost) if (sender?.priority !== Priority.WRITE) this.#units.suspect(unit);
    if (hasGrace) this.#graceUntil = this.#clock.monotonic() + grace;
    for (const request of lost) {
      const { sender } = request;
      request.sender = undefined;
      sender?.requestLost(request, isExplained && request.isRisky);
    }
    if (hasGrace) this.#timer = this.#clock.timer(grace, () => this.#break());
    else if (!this.isOpen) this.#break();
  }

  /** Sends as much as may be sent now. */
  pump(): void {
    if (this.#isPumping || this.session.isReading || !this.session.link.up) return;
    this.#isPumping = true;
    this.#isHolding = false;
    const now = this.#clock.monotonic();
    this.#markOverdue(now);
    let pause = this.#pause;
    while (pause <= 0 && this.#sendNext(now)) pause = this.#pause;
    this.#isPumping = false;
    this.session.flush();
    this.#arm(now, pause);
    if (!this.#isHolding || this.#hasChecked || this.#flying.length > 0) return;
    // A request that was answered before shows that the connection works, before it is put at risk.
    this.#hasChecked = true;
    const check = this.#makeCheck();
    if (check !== undefined) this.add(check);
  }

  /** Milliseconds until the next request may be sent. */
  get #pause(): number {
    return this.#interval === 0 ? 0 : this.#quietUntil - this.#clock.monotonic();
  }

  #used(): void {
    if (this.#interval > 0) this.#quietUntil = this.#clock.monotonic() + this.#interval;
  }

  #sendNext(now: number): boolean {
    const { window, spares } = this.session;
    const onlySpare = this.#flying.length - this.#beside >= window;
    if (onlySpare && this.#beside >= spares) return false;
    // A write that was in flight when the connection went cannot be sent again.
    const isGuarded = this.#risky > 0 && this.#flying.some((request) => isFresh(request, now));
    return (
      (!isGuarded && this.#sendFirst(this.#senders, Priority.WRITE, onlySpare, now)) ||
      (this.#owed.size > 0 && this.#sendFirst(this.#owed, Priority.POLL, onlySpare, now)) ||
      this.#sendFirst(this.#senders, Priority.REQUEST, onlySpare, now) ||
      this.#sendFirst(this.#senders, Priority.POLL, onlySpare, now)
    );
  }

  /** Sends a request of the first sender of this priority that has one. */
  #sendFirst(senders: Iterable<Sender>, priority: Priority, onlySpare: boolean, now: number): boolean {
    for (const sender of senders) {
      if (sender.priority !== priority) continue;
      const request = sender.next(onlySpare);
      if (request === undefined) continue;
      this.#send(sender, request, now);
      return true;
    }
    return false;
  }

  #send(sender: Sender, request: Request, now: number): void {
    // Others of the same priority are next; a sender that has ended meanwhile is no longer there.
    const at = this.#senders.indexOf(sender);
    if (at >= 0 && at < this.#senders.length - 1) this.#senders.push(...this.#senders.splice(at, 1));
    request.traffic = this;
    request.sender = sender;
    request.sentAt = now;
    request.isRisky = this.#isRisky(request);
    request.isBeside = request.isSpare && this.#beside < this.session.spares;
    if (request.isRisky) this.#risky++;
    if (request.isBeside) this.#beside++;
    this.#flying.push(request);
    this.session.send(request);
    this.#used();
  }

  /** A request has ended, and the connection has not. Its sender, which is not to live as long as its requests. */
  #ended(request: Request, wasAnswered: boolean): Sender | undefined {
    const wasFlying = this.#leave(request);
    this.#used();
    const { sender, sentAt } = request;
    request.sender = undefined;
    if (!wasFlying || sender === undefined) return undefined;
    if (!wasAnswered) {
      // Unanswered requests one after the other would leave polls no room where one request is sent at a time.
      if (sender.priority === Priority.REQUEST)
        for (const other of this.#senders) if (other.priority === Priority.POLL) this.#owed.add(other);
      return sender;
    }
    this.#heard = true;
    // Those that were sent together need not be measured one by one.
    if (sentAt === this.#measured) return sender;
    this.#measured = sentAt;
    const taken = this.#clock.monotonic() - sentAt;
    this.#rtt = this.#rtt === undefined ? taken : this.#rtt + (taken - this.#rtt) / 8;
    return sender;
  }

  /** Returns whether the request was in flight. */
  #leave(request: Request): boolean {
    const at = this.#flying.indexOf(request);
    if (at < 0) return false;
    // Answers mostly come in order.
    if (at === 0) this.#flying.shift();
    else this.#flying.splice(at, 1);
    if (request.isRisky) this.#risky--;
    if (request.isBeside) this.#beside--;
    return true;
  }

  #isRisky({ isKnownGood, isSuspect, unit }: Request): boolean {
    return isSuspect || (!isKnownGood && this.#units.get(unit).suspected);
  }

  #markOverdue(now: number): void {
    const latest = now - this.#overdueAfter;
    for (const request of this.#flying) {
      if (this.#beside >= this.session.spares || request.sentAt > latest) return;
      if (request.isBeside) continue;
      request.isBeside = true;
      this.#beside++;
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
    if (this.session.spares === 0) return at;
    const oldest = this.#beside === 0 ? this.#flying[0] : this.#flying.find(({ isBeside }) => !isBeside);
    if (oldest !== undefined) at = Math.min(at, oldest.sentAt + this.#overdueAfter);
    if (this.#risky > 0)
      for (const request of this.#flying)
        if (isFresh(request, now)) at = Math.min(at, request.sentAt + overdue.least);
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

  #break(): void {
    // A timer may fire up to a millisecond early by the monotonic clock: no sender is to be taken for that rest.
    this.#graceUntil = 0;
    this.#owed.clear();
    for (const sender of this.#senders.splice(0)) sender.broken(disconnected);
  }
}

/** Whether this risky request was sent so lately that it may still end the connection. */
function isFresh({ isRisky, sentAt }: Request, now: number): boolean {
  return isRisky && now < sentAt + overdue.least;
}
