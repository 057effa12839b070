import type { Clock } from '@tagway/sdk';
import type { Failure } from '@tagway/sdk/link';
import {
  asduHeaderSize,
  Control,
  headerSize,
  informationFrame,
  sequenceMask,
  supervisoryFrame,
  unnumberedFrame,
} from './protocol.ts';

/** Times in milliseconds. */
export interface Limits {
  /** Within this time the other side must acknowledge. */
  readonly t1: number;
  /** After this time at the latest, what was received is acknowledged. */
  readonly t2: number;
  /** After this time of silence a test frame is sent. */
  readonly t3: number;
  /** Most frames that were sent and not acknowledged. */
  readonly k: number;
  /** Received frames after which they are acknowledged. */
  readonly w: number;
}

/** Where frames go. */
export interface FrameSink {
  /** Sends a frame and keeps the buffer. */
  send(frame: Buffer): void;
}

export interface SessionEvents {
  /** What the other side is called in sentences, such as `the station`. */
  readonly other: string;
  /** A unit of data has come: `data[at, end)`, valid during the call. */
  asdu(data: Buffer, at: number, end: number): void;
  /** An unnumbered frame that is no test. False: the connection was given up for it. */
  control(control: number): boolean;
  /** The other side has acknowledged this many more frames, the oldest first: there is room for as many. */
  acknowledged?(count: number): void;
  /** The other side answered a test frame. */
  rtt(ms: number): void;
  /** The connection is to be given up. `reason` is a clause. */
  lose(reason: string, kind: Failure['kind']): void;
}

/** The numbered exchange of one connection, of either side: sequence numbers, windows and timers (IEC 60870-5-104, clause 5). */
export class Session {
  readonly #channel: FrameSink;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #events: SessionEvents;
  /** Number of the next frame to send, V(S). */
  #sent = 0;
  /** Number of the oldest frame that the other side has not acknowledged. */
  #confirmed = 0;
  /** When each of those frames was sent, the oldest first. */
  readonly #sentAt: number[] = [];
  /** Units of data that wait for room in the window. */
  readonly #waiting: Buffer[] = [];
  /** Number of the next frame to receive, V(R). */
  #received = 0;
  /** The number that was acknowledged last. */
  #acknowledged = 0;
  /** When the oldest frame came that is not acknowledged. */
  #unacknowledgedSince = Infinity;
  #testSentAt = Infinity;
  #heardAt: number;
  #holds = 0;
  #timer: Disposable | undefined;
  #wakeAt = Infinity;
  #check: NodeJS.Immediate | undefined;
  #stopping: (() => void) | undefined;
  #isOver = false;

  constructor(channel: FrameSink, clock: Clock, limits: Limits, events: SessionEvents) {
    this.#channel = channel;
    this.#clock = clock;
    this.#limits = limits;
    this.#events = events;
    this.#heardAt = clock.monotonic();
    this.#arm();
  }

  /** Sends a unit of data once the window has room. */
  send(asdu: Buffer): void {
    if (this.#isOver) return;
    this.#waiting.push(asdu);
    this.#pump();
  }

  /** Takes a frame; false: the connection was given up for it. */
  frame(data: Buffer, at: number, end: number): boolean {
    if (this.#isOver) return false;
    this.#heardAt = this.#clock.monotonic();
    const control = data[at + 2]!;
    if ((control & 1) === 0) return this.#information(data, at, end);
    if (end - at !== headerSize) return this.#lose('a frame without data has data behind it', 'malformed');
    if ((control & 3) === 1) return this.#confirm(data.readUInt16LE(at + 4) >> 1);
    return this.#unnumbered(control);
  }

  /** What came together was passed on: it is acknowledged when it is `w` frames or more. */
  chunkEnd(): void {
    if (this.#isOver) return;
    if (this.#unacknowledged >= this.#limits.w) this.acknowledge();
    this.#arm();
  }

  /** Acknowledges nothing until this resolves. */
  hold(drained: Promise<void>): void {
    this.#holds++;
    void drained.then(() => {
      this.#holds--;
      if (this.#holds > 0 || this.#isOver) return;
      this.acknowledge();
      this.#arm();
    });
  }

  /** Acknowledges what was received and asks the other side, a station, to stop sending; resolves at `stopped`. */
  async stop(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    this.#stopping = resolve;
    this.acknowledge();
    this.#channel.send(unnumberedFrame(Control.STOPDT_ACT));
    await promise;
  }

  /** The other side has confirmed that it stops. */
  stopped(): void {
    this.#stopping?.();
  }

  /** How many more frames may be sent now. */
  get room(): number {
    return Math.max(0, this.#limits.k - this.#sentAt.length - this.#waiting.length);
  }

  /** Whether everything that was sent is acknowledged. */
  get isSettled(): boolean {
    return this.#sentAt.length === 0 && this.#waiting.length === 0;
  }

  end(): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    clearImmediate(this.#check);
    this.#waiting.length = 0;
    this.#stopping?.();
  }

  /** Frames that were received and not acknowledged. */
  get #unacknowledged(): number {
    return (this.#received - this.#acknowledged) & sequenceMask;
  }

  #information(data: Buffer, at: number, end: number): boolean {
    if (end - at < headerSize + asduHeaderSize)
      return this.#lose('an information frame is too short for its data', 'malformed');
    const number = data.readUInt16LE(at + 2) >> 1;
    if (number !== this.#received)
      return this.#lose(
        `${this.#events.other} sent information frame ${number} where ${this.#received} was due: frames were lost or repeated`,
        'malformed',
      );
    if (!this.#confirm(data.readUInt16LE(at + 4) >> 1)) return false;
    this.#received = (this.#received + 1) & sequenceMask;
    this.#unacknowledgedSince = Math.min(this.#unacknowledgedSince, this.#heardAt);
    this.#events.asdu(data, at + headerSize, end);
    return !this.#isOver;
  }

  #unnumbered(control: number): boolean {
    switch (control) {
      case Control.TESTFR_ACT:
        this.#channel.send(unnumberedFrame(Control.TESTFR_CON));
        return true;
      case Control.TESTFR_CON:
        if (this.#testSentAt < Infinity) this.#events.rtt(this.#heardAt - this.#testSentAt);
        this.#testSentAt = Infinity;
        return true;
      default:
        return this.#events.control(control);
    }
  }

  /** The other side has received everything before the frame with this number. */
  #confirm(number: number): boolean {
    const count = (number - this.#confirmed) & sequenceMask;
    if (count > this.#sentAt.length)
      return this.#lose(
        `${this.#events.other} acknowledged information frame ${(number - 1) & sequenceMask}, which was never sent`,
        'malformed',
      );
    if (count === 0) return true;
    this.#confirmed = number;
    this.#sentAt.splice(0, count);
    this.#pump();
    this.#events.acknowledged?.(count);
    return true;
  }

  #pump(): void {
    const { k } = this.#limits;
    while (this.#waiting.length > 0 && this.#sentAt.length < k) {
      const asdu = this.#waiting.shift() as Buffer;
      if (this.#holds === 0) this.#markAcknowledged();
      this.#channel.send(informationFrame(this.#sent, this.#acknowledged, asdu));
      this.#sent = (this.#sent + 1) & sequenceMask;
      this.#sentAt.push(this.#clock.monotonic());
    }
    this.#arm();
  }

  /** Acknowledges what was received, unless that is held. */
  acknowledge(): void {
    if (this.#holds > 0 || this.#unacknowledged === 0) return;
    this.#markAcknowledged();
    this.#channel.send(supervisoryFrame(this.#acknowledged));
  }

  #markAcknowledged(): void {
    this.#acknowledged = this.#received;
    this.#unacknowledgedSince = Infinity;
  }

  #lose(reason: string, kind: Failure['kind']): false {
    this.#events.lose(reason, kind);
    return false;
  }

  /** When the next of the timers is due. */
  get #due(): number {
    const { t1, t2, t3 } = this.#limits;
    const acknowledge = this.#holds === 0 ? this.#unacknowledgedSince + t2 : Infinity;
    const test = this.#testSentAt < Infinity ? this.#testSentAt + t1 : this.#heardAt + t3;
    return Math.min((this.#sentAt[0] ?? Infinity) + t1, acknowledge, test);
  }

  #arm(): void {
    const due = this.#due;
    if (this.#isOver || due >= this.#wakeAt) return;
    this.#timer?.[Symbol.dispose]();
    this.#wakeAt = due;
    // Bytes that wait in the ports are taken first, so that an answer counts that came while this process was held up.
    this.#timer = this.#clock.timer(Math.max(0, due - this.#clock.monotonic()), () => {
      this.#check = setImmediate(() => this.#checkTimers());
    });
  }

  #checkTimers(): void {
    if (this.#isOver) return;
    this.#wakeAt = Infinity;
    const { t1, t2, t3 } = this.#limits;
    const now = this.#clock.monotonic();
    if (now >= (this.#sentAt[0] ?? Infinity) + t1)
      return this.#events.lose(
        `${this.#events.other} did not acknowledge a frame within t1, ${t1} ms`,
        'timeout',
      );
    if (now >= this.#testSentAt + t1)
      return this.#events.lose(
        `${this.#events.other} did not answer a test frame within t1, ${t1} ms`,
        'timeout',
      );
    if (this.#holds === 0 && now >= this.#unacknowledgedSince + t2) this.acknowledge();
    if (this.#testSentAt === Infinity && now >= this.#heardAt + t3) {
      this.#testSentAt = now;
      this.#channel.send(unnumberedFrame(Control.TESTFR_ACT));
    }
    this.#arm();
  }
}
