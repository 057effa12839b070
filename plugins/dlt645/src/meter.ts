import type { Fault } from '@tagway/sdk';
import { RetryTimer } from '@tagway/sdk/link';
import { addressBytes } from './protocol.ts';

/** One item of a meter, and what is known of it. All groups of a node share it. */
export class Datum {
  readonly meter: Meter;
  readonly identifier: number;
  /** Why the meter does not read it, while that counts. */
  #refusal: Fault | undefined;
  #timer = new RetryTimer();
  /** Times in a row that it was not answered while the meter answered others. */
  #ignored = 0;

  constructor(meter: Meter, identifier: number) {
    this.meter = meter;
    this.identifier = identifier;
  }

  /** Why not to ask for it at `now`; undefined when it is to be asked for. */
  heldBack(now: number): Fault | undefined {
    if (this.#refusal === undefined) return undefined;
    if (!this.#timer.due(now)) return this.#refusal;
    this.#timer.tried(now);
    return undefined;
  }

  refused(fault: Fault, now: number): void {
    this.#refusal = fault;
    this.#timer.refused(now);
  }

  /** The meter answers others, but not this; twice in a row is no accident. */
  ignored(fault: Fault, now: number): void {
    if (++this.#ignored >= 2) this.refused(fault, now);
  }

  answered(): void {
    this.#ignored = 0;
    if (this.#refusal === undefined) return;
    this.#refusal = undefined;
    this.#timer = new RetryTimer();
  }

  /** There is a new connection: what was refused may be asked for at once. */
  expire(): void {
    this.#timer.expire();
  }
}

/** One meter on the bus. */
export class Meter {
  /** Twelve digits. */
  readonly address: string;
  /** As it is sent. */
  readonly bytes: Buffer;
  /** The item that it did not answer last, and until when that answer may still come, in milliseconds of `performance.now()`. */
  missed = 0;
  missedUntil = 0;
  /** Rounds in a row in which it answered nothing. */
  silentRounds = 0;
  readonly #data = new Map<number, Datum>();

  constructor(address: string) {
    this.address = address;
    this.bytes = addressBytes(address);
  }

  datum(identifier: number): Datum {
    const known = this.#data.get(identifier) ?? new Datum(this, identifier);
    this.#data.set(identifier, known);
    return known;
  }

  expire(): void {
    for (const datum of this.#data.values()) datum.expire();
  }
}

/** The meters that a node was told of. */
export class Meters {
  readonly #meters = new Map<string, Meter>();

  meter(address: string): Meter {
    const known = this.#meters.get(address) ?? new Meter(address);
    this.#meters.set(address, known);
    return known;
  }

  /** Whether no meter at all answered when it was last asked. */
  get allSilent(): boolean {
    return [...this.#meters.values()].every(({ silentRounds }) => silentRounds > 0);
  }

  expire(): void {
    for (const meter of this.#meters.values()) meter.expire();
  }
}
