import { type Context, isFault } from '@tagway/sdk';
import { type Channel, disconnected, type Handshake, Link, type Protocol } from '@tagway/sdk/link';
import { Activations } from './activations.ts';
import { Cache } from './cache.ts';
import { decodeObjects } from './decode.ts';
import { notAnswered, notInterrogated } from './faults.ts';
import { frames } from './frames.ts';
import { Interrogation } from './interrogation.ts';
import { Periodic } from './periodic.ts';
import {
  asduHeaderSize,
  asduOf,
  Cause,
  CauseBit,
  causeMask,
  Control,
  frameLength,
  isMonitored,
  type Limits,
  mostFrame,
  Session,
  SystemType,
  timeOf,
  unnumberedFrame,
} from '@tagway/iec104';
import type { Settings } from './settings.ts';
import { transportOf } from './transport.ts';
import { Watches } from './watch.ts';
import { Commands } from './write.ts';

/** Qualifiers: of interrogation, the whole station (20); of counter interrogation, all counters (5). */
const wholeStation = 20;
const allCounters = 5;

/** Most common addresses that a fault names. */
const mostOthers = 8;

/** One controlled station: the connection to it, what it reports, and what is sent to it. */
export class Station implements Protocol<Session> {
  readonly most = mostFrame;
  readonly length = frameLength;
  readonly cache: Cache;
  readonly watches: Watches;
  readonly commands: Commands;
  readonly link: Link<Session>;
  readonly objects: Interrogation;
  readonly counters: Interrogation;
  readonly #context: Context<Settings>;
  readonly #limits: Limits;
  readonly #activations = new Activations((...answer) => this.commands.late(...answer));
  readonly #objectsAgain: Periodic;
  readonly #countersAgain: Periodic;
  readonly #clockAgain: Periodic;
  /** Types of data that a warning was logged for. */
  readonly #warned = new Set<number>();
  /** Common addresses of other nodes that came over the connection. */
  readonly #others = new Set<number>();
  #isSpontaneous = false;
  readonly #stored = (slot: number): void => this.watches.changed(slot, this.#isSpontaneous);
  /** A good frame was among the bytes that arrived together. */
  #isAlive = false;

  constructor(context: Context<Settings>) {
    this.#context = context;
    const { settings, clock, log } = context;
    const { ca, counter_interval, t1, t2, t3, k, w } = settings;
    this.cache = new Cache(counter_interval > 0);
    this.watches = new Watches(this.cache);
    this.#limits = { t1: t1 * 1000, t2: t2 * 1000, t3: t3 * 1000, k, w };
    this.link = new Link<Session>(context, transportOf(settings), this, { timeout: t1 * 1000, frames });
    const send = (asdu: Buffer): boolean => this.#send(asdu);
    const activations = this.#activations;
    const access = { clock, activations, ca, send };
    this.commands = new Commands({
      ...access,
      log,
      t1: t1 * 1000,
      terminationWait: settings.termination_wait,
      selects: settings.select_before_operate,
      rtt: (ms) => context.rtt(ms),
    });
    const asking = { ...access, silence: t1 * 1000 };
    this.objects = new Interrogation({
      ...asking,
      type: SystemType.INTERROGATION,
      qualifier: wholeStation,
      ended: (refusal) => this.#interrogated(refusal),
    });
    this.counters = new Interrogation({
      ...asking,
      type: SystemType.COUNTER_INTERROGATION,
      qualifier: allCounters,
      ended: (refusal) => {
        if (refusal !== undefined)
          this.#warn(SystemType.COUNTER_INTERROGATION, 'refuses the interrogation of its counters');
      },
    });
    const periodic = (seconds: number, work: () => Promise<void>): Periodic =>
      new Periodic(clock, seconds * 1000, work);
    this.#objectsAgain = periodic(settings.interval, () => this.#ask(this.objects));
    this.#countersAgain = periodic(settings.counter_interval, () => this.#ask(this.counters));
    this.#clockAgain = periodic(settings.clock_interval, () => this.#setClock());
  }

  // What the link calls.

  async handshake(channel: Handshake): Promise<Session> {
    channel.send(unnumberedFrame(Control.STARTDT_ACT));
    for (;;) {
      const frame = await channel.next();
      const control = frame[2]!;
      if (control === Control.STARTDT_CON) break;
      if (control !== Control.TESTFR_ACT)
        throw new Error('the station sent something else in the place of a confirmation of STARTDT');
      channel.send(unnumberedFrame(Control.TESTFR_CON));
    }
    return new Session(channel, this.#context.clock, this.#limits, {
      other: 'the station',
      control: (control) => this.#control(control),
      asdu: (data, at, end) => this.#asdu(data, at, end),
      rtt: (ms) => this.#context.rtt(ms),
      lose: (reason, kind) => {
        if (kind === 'timeout') this.link.silent(reason);
        else {
          this.#context.count('malformed_frames', 1);
          this.link.lose(reason, kind);
        }
      },
    });
  }

  /** A frame that the numbered exchange does not handle: what only a controlling station sends ends the connection. */
  #control(control: number): boolean {
    if (control === Control.STOPDT_CON) this.link.session?.stopped();
    else if (control !== Control.STARTDT_CON) {
      const reason = `the station sent the control field 0x${control.toString(16)}, which only a controlling station may send`;
      this.#context.count('malformed_frames', 1);
      this.link.lose(reason, 'malformed');
      return false;
    }
    return true;
  }

  frame(session: Session, data: Buffer, at: number, end: number): void {
    if (session.frame(data, at, end)) this.#isAlive = true;
  }

  chunkEnd(session: Session): void {
    if (this.#isAlive) this.link.proven();
    this.#isAlive = false;
    for (const drained of this.watches.flush()) session.hold(drained);
    session.chunkEnd();
  }

  up(_session: Session, channel: Channel): void {
    void this.#begin(channel);
  }

  down(session: Session): void {
    session.end();
    for (const periodic of [this.#objectsAgain, this.#countersAgain, this.#clockAgain]) periodic.stop();
    this.cache.clear();
    this.watches.down();
    this.#activations.failAll(disconnected);
  }

  async farewell(session: Session, signal: AbortSignal): Promise<void> {
    await session.stop(signal);
  }

  // What is done at every connection.

  async #begin(channel: Channel): Promise<void> {
    const { clock_interval, counter_interval } = this.#context.settings;
    if (clock_interval > 0) await this.#clockAgain.start();
    // One after the other: not every station takes two of these at a time.
    if (!channel.signal.aborted) await this.#objectsAgain.start();
    if (!channel.signal.aborted && counter_interval > 0) await this.#countersAgain.start();
  }

  async #ask(interrogation: Interrogation): Promise<void> {
    try {
      await interrogation.ask();
    } catch (error) {
      if (!isFault(error)) throw error;
      // The link reports that it is down by itself.
      if (error === disconnected) return;
      this.#warn(SystemType.INTERROGATION, 'does not answer interrogations');
      this.cache.absence = notAnswered(this.#context.settings.ca, this.#others);
      this.watches.complete();
    }
  }

  #setClock(): Promise<void> {
    const { clock, settings } = this.#context;
    this.#send(
      asduOf(SystemType.CLOCK_SYNCHRONIZATION, settings.ca, 0, timeOf(clock.now(), settings.utc_offset)),
    );
    return Promise.resolve();
  }

  #interrogated(refusal: number | undefined): void {
    const isRefused = refusal !== undefined;
    this.cache.absence = isRefused
      ? notInterrogated(refusal, this.#context.settings.ca, this.#others)
      : undefined;
    if (isRefused)
      this.#warn(SystemType.INTERROGATION, `refuses the general interrogation with cause ${refusal}`);
    this.watches.complete();
  }

  #send(asdu: Buffer): boolean {
    const { session } = this.link;
    session?.send(asdu);
    return session !== undefined;
  }

  // What the station sends.

  #asdu(data: Buffer, at: number, end: number): void {
    const { ca, utc_offset } = this.#context.settings;
    const type = data[at]!;
    const causes = data[at + 2]!;
    const cause = causes & causeMask;
    // Other stations on the same connection do not belong to this node, and what is marked as a test is no process data.
    const address = data.readUInt16LE(at + 4);
    if (address !== ca) {
      if (this.#others.size < mostOthers) this.#others.add(address);
      return this.#context.count('foreign_frames', 1);
    }
    if ((causes & CauseBit.TEST) !== 0) return;
    if (!isMonitored(type))
      return this.#system(type, cause, (causes & CauseBit.NEGATIVE) !== 0, data, at, end);
    if (cause >= Cause.UNKNOWN_TYPE) return;
    this.#isSpontaneous = cause === Cause.SPONTANEOUS;
    if (cause === Cause.INTERROGATED) this.objects.heard();
    if (cause === Cause.COUNTERS_REQUESTED) this.counters.heard();
    if (decodeObjects(data, at, end, this.cache, utc_offset, this.#stored)) return;
    this.#context.count('malformed_frames', 1);
    this.#warn(type, `sends data of type ${type} whose length is not that of its objects; it is left out`);
  }

  #system(type: number, cause: number, isNegative: boolean, data: Buffer, at: number, end: number): void {
    const start = at + asduHeaderSize;
    const isOne = data[at + 1]! === 1 && end - start >= 3;
    if (type === SystemType.END_OF_INITIALIZATION) {
      // The station has started anew: what it holds may be other than before.
      void this.#ask(this.objects);
    } else if (isOne && (type < SystemType.END_OF_INITIALIZATION || type >= SystemType.INTERROGATION)) {
      const object = data.readUIntLE(start, 3);
      this.#activations.answer(type, object, cause, isNegative, data, start + 3, end);
    } else this.#warn(type, `sends data of type ${type}, which this driver does not know; it is left out`);
  }

  /** Logs a warning about a type of data, once in a run. */
  #warn(type: number, what: string): void {
    if (this.#warned.has(type)) return;
    this.#warned.add(type);
    this.#context.log.warn(`The station ${what}.`);
  }
}
