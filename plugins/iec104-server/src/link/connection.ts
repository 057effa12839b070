import { Control, frameLength, type Limits, mostFrame, Session, unnumberedFrame } from '@tagway/iec104';
import type { Clock } from '@tagway/sdk';
import { type Connected, type Failure, FrameSplitter, type Transport } from '@tagway/sdk/link';
import type { SpoolRecord } from '@tagway/sdk/spool';
import type { Member, RedundancyGroup } from './redundancy-group.ts';

/** Most answers that may wait for room in the window: who asks on and acknowledges nothing is disconnected. */
const mostReplies = 512;
/** Most interrogations and cycles that may be under way. */
const mostScans = 32;

export const State = { STOPPED: 0, STARTED: 1, STOPPING: 2 } as const;
export type State = (typeof State)[keyof typeof State];

/** What connections have in common. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  /** A unit of data has come: `data[at, end)`, valid during the call. */
  asdu(connection: Connection, data: Buffer, at: number, end: number): void;
  started(connection: Connection): void;
  /** It is gone or stopped, or another one of its group has become active. */
  stopped(connection: Connection): void;
  closed(connection: Connection, failure: Failure): void;
  /** Units of data that were sent. */
  sent(units: number, bytes: number): void;
  received(bytes: number): void;
}

/** One connection of a control centre: the numbered exchange, and what is sent next. */
export class Connection implements Member {
  readonly who: Connected;
  readonly group: RedundancyGroup;
  readonly since: number;
  readonly #transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #splitter: FrameSplitter;
  readonly #session: Session;
  #state: State = State.STOPPED;
  readonly #replies: Buffer[] = [];
  readonly #scans: Iterator<Buffer, undefined>[] = [];
  #cycle: Iterator<Buffer, undefined> | undefined;
  /** By frame that is not acknowledged, the oldest first: the events in it. */
  readonly #unacknowledged: (readonly SpoolRecord[] | undefined)[] = [];
  #isEventNext = true;
  #isClosed = false;
  #isPumping = false;

  constructor(transport: Transport, who: Connected, group: RedundancyGroup, options: ConnectionOptions) {
    this.#transport = transport;
    this.who = who;
    this.group = group;
    this.#options = options;
    this.since = options.clock.now();
    this.#session = new Session({ send: (frame) => this.#send(frame) }, options.clock, options.limits, {
      other: 'the control centre',
      control: (control) => this.#control(control),
      asdu: (data, at, end) => this.#asdu(data, at, end),
      acknowledged: (count) => this.#acknowledged(count),
      rtt: () => undefined,
      lose: (reason, kind) => this.drop({ kind, reason }),
    });
    this.#splitter = new FrameSplitter(
      { length: frameLength, most: mostFrame },
      {
        frame: (data, at, end) => void this.#session.frame(data, at, end),
        skipped: () => undefined,
        invalid: () => this.drop({ kind: 'malformed', reason: 'what it sent is no frame of the protocol' }),
      },
    );
    void transport.open(
      {
        opened: () => undefined,
        received: (data, end) => this.#received(data, end),
        closed: (failure) => this.#closed(failure),
      },
      options.clock,
    );
  }

  get state(): State {
    return this.#state;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What a cycle has to send is not sent yet. */
  get isCycling(): boolean {
    return this.#cycle !== undefined && this.#scans.includes(this.#cycle);
  }

  get peer(): string {
    return `${this.who.address}:${this.who.port}`;
  }

  /** Sends an answer before what waits; nothing when the connection is not started. */
  reply(asdu: Buffer): void {
    if (this.#state !== State.STARTED) return;
    if (this.#replies.length >= mostReplies)
      return this.drop({
        kind: 'given up',
        reason: `it acknowledges nothing and has ${mostReplies} answers to come`,
      });
    this.#replies.push(asdu);
  }

  /** Sends what the iterator yields, between events. False: too many are under way. */
  scan(units: Iterator<Buffer, undefined>): boolean {
    if (this.#scans.length >= mostScans) return false;
    if (this.#state === State.STARTED) this.#scans.push(units);
    return true;
  }

  /** As a scan; the next cycle begins when this one has ended. */
  cycle(units: Iterator<Buffer, undefined>): void {
    if (this.scan(units)) this.#cycle = units;
  }

  /** Sends what the window has room for: answers first, then events and scans in turn. */
  pump(): void {
    // What is taken may make the queue say that there is more.
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#state === State.STARTED && this.#session.room > 0 && this.#sendNext());
    } finally {
      this.#isPumping = false;
    }
  }

  deactivated(): void {
    if (this.#state !== State.STOPPED) this.#stop();
  }

  drop(failure: Failure): void {
    this.#transport.drop(failure);
  }

  async close(): Promise<void> {
    this.#closed(undefined);
    await this.#transport.close();
  }

  #sendNext(): boolean {
    const reply = this.#replies.shift();
    if (reply !== undefined) return this.#sendUnit(reply, undefined);
    const isEventFirst = this.#isEventNext;
    this.#isEventNext = !isEventFirst;
    if (isEventFirst) return this.#sendEvents() || this.#sendScan();
    return this.#sendScan() || this.#sendEvents();
  }

  #sendEvents(): boolean {
    const events = this.group.queue.take();
    return events !== undefined && this.#sendUnit(events.asdu, events.records);
  }

  #sendScan(): boolean {
    for (let scan = this.#scans[0]; scan !== undefined; scan = this.#scans[0]) {
      const next = scan.next();
      if (next.done !== true) return this.#sendUnit(next.value, undefined);
      this.#scans.shift();
    }
    return false;
  }

  #sendUnit(asdu: Buffer, records: readonly SpoolRecord[] | undefined): true {
    this.#unacknowledged.push(records);
    this.#session.send(asdu);
    this.#options.sent(1, asdu.length);
    return true;
  }

  #send(frame: Buffer): void {
    this.#transport.send(frame);
  }

  #received(data: Buffer, end: number): void {
    this.#options.received(end);
    this.#splitter.take(data, end);
    if (this.#isClosed) return;
    this.#session.chunkEnd();
    this.pump();
  }

  #acknowledged(count: number): void {
    for (const records of this.#unacknowledged.splice(0, count))
      if (records !== undefined) this.group.queue.acknowledge(records);
    if (this.#state === State.STOPPING && this.#session.isSettled) this.#confirmStop();
  }

  #asdu(data: Buffer, at: number, end: number): void {
    if (this.#state === State.STARTED) return this.#options.asdu(this, data, at, end);
    if (this.#state === State.STOPPED)
      this.drop({ kind: 'malformed', reason: 'it sent an information frame without STARTDT before it' });
  }

  #control(control: number): boolean {
    switch (control) {
      case Control.STARTDT_ACT:
        this.#start();
        return true;
      case Control.STOPDT_ACT:
        if (this.#state === State.STARTED) {
          this.#state = State.STOPPING;
          this.#session.acknowledge();
        }
        if (this.#session.isSettled || this.#state === State.STOPPED) this.#confirmStop();
        return true;
      default: {
        const reason = `it sent the control field 0x${control.toString(16)}, which only a controlled station may send`;
        this.drop({ kind: 'malformed', reason });
        return false;
      }
    }
  }

  #start(): void {
    const isStarted = this.#state === State.STARTED;
    this.#state = State.STARTED;
    this.group.activate(this);
    this.#send(unnumberedFrame(Control.STARTDT_CON));
    if (!isStarted) this.#options.started(this);
  }

  #confirmStop(): void {
    this.#stop();
    this.#send(unnumberedFrame(Control.STOPDT_CON));
  }

  #stop(): void {
    this.#state = State.STOPPED;
    this.#replies.length = 0;
    this.#scans.length = 0;
    this.#unacknowledged.fill(undefined);
    this.group.release(this);
    this.#options.stopped(this);
  }

  #closed(failure: Failure | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#splitter.reset();
    this.#session.end();
    if (this.#state !== State.STOPPED) this.#stop();
    if (failure !== undefined) this.#options.closed(this, failure);
  }
}
