import type { Fault } from '@tagway/sdk';
import { RefusalMemory, type Range } from '@tagway/sdk/link';
import { addressBytes } from './protocol.ts';

/** One datum of a meter, and what is known of it. All groups of a node share it. As a range, its area is the meter. */
export class Datum implements Range {
  readonly meter: Meter;
  readonly identifier: number;
  readonly area: number;
  readonly start: number;
  readonly end: number;
  /** Times in a row that it was not answered while the meter answered others. */
  ignored = 0;

  constructor(meter: Meter, identifier: number) {
    this.meter = meter;
    this.identifier = identifier;
    this.area = Number(meter.address);
    this.start = identifier;
    this.end = identifier + 1;
  }
}

/** One meter on the bus. */
export class Meter {
  /** Twelve digits. */
  readonly address: string;
  /** As it is sent. */
  readonly bytes: Buffer;
  /** The datum that it did not answer last, and until when that answer may still come, in milliseconds of `performance.now()`. */
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
}

/** The meters that the tags of a node name. */
export class Meters {
  /** The data that their meters do not give. */
  readonly refusals = new RefusalMemory<Fault>();
  /** The datum that was answered last: it shows whether the line still works. */
  answered: Datum | undefined;
  readonly #meters = new Map<string, Meter>();

  meter(address: string): Meter {
    const known = this.#meters.get(address) ?? new Meter(address);
    this.#meters.set(address, known);
    return known;
  }
}
