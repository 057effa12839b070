import { type Context, isFault } from '@tagway/sdk';
import { type Channel, disconnected, type Handshake, Link, type Protocol, tcpClient } from '@tagway/sdk/link';
import { Activations } from './activations.ts';
import { Cache } from './cache.ts';
import { decodeObjects, isMonitored } from './decode.ts';
import { Interrogation } from './interrogation.ts';
import { Periodic } from './periodic.ts';
import {
  asduHeaderSize,
  asduOf,
  Cause,
  Control,
  frameLength,
  mostFrame,
  SystemType,
  unnumberedFrame,
} from './protocol.ts';
import { type Limits, Session } from './session.ts';
import type { Settings } from './settings.ts';
import { timeOf } from './time.ts';
import { transportOf } from './transport.ts';
import { Watches } from './watch.ts';
import { Commands } from './write.ts';

/** Qualifiers: of interrogation, the whole station (20); of counter interrogation, all counters (5). */
const wholeStation = 20;
const allCounters = 5;

const causeMask = 0x3f;
const negativeBit = 0x40;
const testBit = 0x80;

/** One controlled station: the connection to it, what it reports, and what it is asked. */
export class Station implements Protocol<Session> {
  readonly most = mostFrame;
  readonly length = frameLength;
  readonly cache = new Cache();
  readonly watches = new Watches(this.cache);
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
  /** Types of data that were complained of. */
  readonly #said = new Set<number>();
  #isSpontaneous = false;
  readonly #stored = (slot: number): void => this.watches.changed(slot, this.#isSpontaneous);
  /** Something was heard in the bytes at hand. */
  #isAlive = false;

  constructor(context: Context<Settings>) {
    this.#context = context;
    const { settings, clock, log } = context;
    const { ca, t1, t2, t3, k, w } = settings;
    this.#limits = { t1: t1 * 1000, t2: t2 * 1000, t3: t3 * 1000, k, w };
    this.link = new Link<Session>(context, transportOf(settings, tcpClient), this, { timeout: t1 * 1000 });
    const send = (asdu: Buffer): boolean => this.#send(asdu);
    const activations = this.#activations;
    const access = { clock, activations, ca, send };
    this.commands = new Commands({
      ...{ ...access, log, t1: t1 * 1000 },
      terminationWait: settings.termination_wait,
      selects: settings.select_before_operate,
      rtt: (ms) => context.rtt(ms),
    });
    const asking = { ...access, patience: t1 * 1000 };
    this.objects = new Interrogation({
      ...asking,
      ...{ type: SystemType.INTERROGATION, qualifier: wholeStation },
      ended: (isRefused) => this.#interrogated(isRefused),
    });
    this.counters = new Interrogation({
      ...asking,
      ...{ type: SystemType.COUNTER_INTERROGATION, qualifier: allCounters },
      ended: (isRefused) => {
        if (isRefused)
          this.#say(SystemType.COUNTER_INTERROGATION, 'refuses the interrogation of its counters');
      },
    });
    const periodic = (seconds: number, work: () => Promise<void>): Periodic =>
      new Periodic(clock, seconds * 1000, work);
    this.#objectsAgain = periodic(settings.interval, () => this.#ask(this.objects));
    this.#countersAgain = periodic(settings.counter_interval, () => this.#ask(this.counters));
    this.#clockAgain = periodic(settings.clock_interval, () => this.#setClock());
  }

  // What the link asks.

  async handshake(channel: Handshake): Promise<Session> {
    channel.send(unnumberedFrame(Control.STARTDT_ACT));
    for (;;) {
      const frame = await channel.next();
      const control = frame[2] as number;
      if (control === Control.STARTDT_CON) break;
      if (control !== Control.TESTFR_ACT)
        throw new Error('the station sent something else in the place of a confirmation of STARTDT');
      channel.send(unnumberedFrame(Control.TESTFR_CON));
    }
    return new Session(channel, this.#context.clock, this.#limits, {
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
      // A link that is gone says so itself.
      if (error === disconnected) return;
      this.#say(SystemType.INTERROGATION, 'does not answer interrogations');
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

  #interrogated(isRefused: boolean): void {
    if (isRefused) this.#say(SystemType.INTERROGATION, 'refuses the general interrogation');
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
    const type = data[at] as number;
    const causes = data[at + 2] as number;
    const cause = causes & causeMask;
    // Others on the same connection are none of this node's business, and what is marked as a test is no process data.
    if (data.readUInt16LE(at + 4) !== ca) return this.#context.count('foreign_frames', 1);
    if ((causes & testBit) !== 0) return;
    if (!isMonitored(type)) return this.#system(type, cause, (causes & negativeBit) !== 0, data, at, end);
    if (cause >= Cause.UNKNOWN_TYPE) return;
    this.#isSpontaneous = cause === Cause.SPONTANEOUS;
    if (cause === Cause.INTERROGATED) this.objects.heard();
    if (cause === Cause.COUNTERS_REQUESTED) this.counters.heard();
    if (decodeObjects(data, at, end, this.cache, utc_offset, this.#stored)) return;
    this.#context.count('malformed_frames', 1);
    this.#say(type, `sends data of type ${type} whose length is not that of its objects; it is left out`);
  }

  #system(type: number, cause: number, isNegative: boolean, data: Buffer, at: number, end: number): void {
    const place = at + asduHeaderSize;
    const isOne = (data[at + 1] as number) === 1 && end - place >= 3;
    if (type === SystemType.END_OF_INITIALIZATION) {
      // The station has started anew: what it holds may be other than before.
      void this.#ask(this.objects);
    } else if (isOne && (type < SystemType.END_OF_INITIALIZATION || type >= SystemType.INTERROGATION)) {
      const object = data.readUIntLE(place, 3);
      this.#activations.answer(type, object, cause, isNegative, data, place + 3, end);
    } else this.#say(type, `sends data of type ${type}, which this driver does not know; it is left out`);
  }

  /** Says something of a type once per run. */
  #say(type: number, what: string): void {
    if (this.#said.has(type)) return;
    this.#said.add(type);
    this.#context.log.warn(`The station ${what}.`);
  }
}
