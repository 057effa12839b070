import { DataType, formatReference, type Inputs, type JsonValue, type TagWrite } from '@tagway/sdk';
import { BackOff } from '@tagway/sdk/link';
import type { LinkRow, WatchdogRow } from './rows.ts';

/** Pauses between attempts to write a row that fails, in milliseconds. */
const pauses = { pauses: [200, 500, 1000, 2000, 5000], spread: [0.8, 1] } as const;

/** What is written to one tag: the newest value alone, and what has become of it. */
export abstract class Row {
  /** Such as `row 3`, and what it writes. */
  name: string;
  readonly text: string;
  /** What is written next; `prepare` gives it its value. */
  readonly write: { -readonly [Member in keyof TagWrite]: TagWrite[Member] };
  readonly target: string;
  readonly every: number;
  readonly backOff = new BackOff(pauses);
  /** It waits for its target to take more. */
  isQueued = false;
  /** It is not in the table any more. */
  isGone = false;
  /** Monotonic time of the next attempt after one that has failed; 0: none has. */
  retryAt = 0;
  written = 0;
  refused = 0;
  /** When it was confirmed last; NaN: never. */
  confirmedAt = NaN;
  /** Why it is not written. */
  failure: string | undefined;
  /** When the value was read that `write` has. */
  sampledAt = NaN;

  constructor({ text, number, target: { node, group, tag }, every }: LinkRow | WatchdogRow, setting: string) {
    this.text = text;
    this.every = every;
    this.target = formatReference({ node, group, tag });
    this.name = `row ${number} of "${setting}"`;
    this.write = { driver: node, group, tag, value: 0 };
  }

  /** It stands where another one of the same text does. */
  move({ name }: Row): void {
    this.name = name;
  }

  /** Whether there is something to write again, such as after the link of the target was lost. */
  abstract get isArmed(): boolean;

  /** Puts the newest value into `write`, which is on its way then. */
  abstract prepare(now: number): void;
}

/** A bit that toggles. */
export class Watchdog extends Row {
  readonly isArmed = false;

  constructor(row: WatchdogRow) {
    super(row, 'watchdogs');
  }

  prepare(now: number): void {
    this.write.value = this.write.value === 1 ? 0 : 1;
    this.sampledAt = now;
  }
}

/** What one tag has, for another one. */
export class Link extends Row {
  readonly row: LinkRow;
  readonly source: string;
  #latest: JsonValue | undefined;
  /** What was sent last, or what was there first where the first value is not written. */
  #known: JsonValue | undefined;
  #isArmed = false;
  #isBad = true;

  constructor(row: LinkRow) {
    super(row, 'links');
    this.row = row;
    this.source = formatReference(row.source);
  }

  get isArmed(): boolean {
    return this.#isArmed && this.#latest !== undefined && !(this.#isBad && this.row.bad === 'nothing');
  }

  /** Takes what its source has. Returns whether that is to be written, at its time where it has one. */
  take(inputs: Inputs, index: number): boolean {
    const value = inputs.fault(index) === undefined ? this.#valueOf(inputs, index) : undefined;
    this.#isBad = value === undefined;
    const next = value ?? (typeof this.row.bad === 'number' ? this.row.bad : undefined);
    if (next === undefined) return false;
    this.#latest = next;
    const isFirst = this.#known === undefined;
    const isChanged = isFirst ? this.row.writesFirst : this.#differs(next, this.#known!);
    if (isFirst && !isChanged) this.#known = next;
    if (!isChanged) return false;
    this.#isArmed = true;
    this.sampledAt = inputs.timestamp;
    return this.every === 0;
  }

  prepare(): void {
    if (this.#latest === undefined) return;
    this.write.value = this.#latest;
    this.#known = this.#latest;
  }

  #valueOf(inputs: Inputs, index: number): JsonValue | undefined {
    switch (inputs.type(index)) {
      case undefined:
        return undefined;
      case DataType.STRING:
        return inputs.text(index);
      case DataType.BYTES:
        return inputs.bytes(index);
      case DataType.INT64:
      case DataType.UINT64:
        return this.#isPlain ? inputs.integer(index) : this.#scaled(Number(inputs.integer(index)));
      default:
        return this.#scaled(inputs.number(index));
    }
  }

  get #isPlain(): boolean {
    return this.row.scale === 1 && this.row.offset === 0;
  }

  #scaled(value: number): number | undefined {
    const { scale, offset, decimals } = this.row;
    const scaled = value * scale + offset;
    if (!Number.isFinite(scaled)) return undefined;
    return decimals === undefined ? scaled : Number(scaled.toFixed(decimals));
  }

  #differs(value: JsonValue, known: JsonValue): boolean {
    if (typeof value === 'number' && typeof known === 'number')
      return this.row.deadband > 0 ? Math.abs(value - known) > this.row.deadband : value !== known;
    if (value instanceof Uint8Array && known instanceof Uint8Array) return Buffer.compare(value, known) !== 0;
    return value !== known;
  }
}
