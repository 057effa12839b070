import { CounterBit, QualityBit } from '@tagway/iec104';

/** What the gateway keeps of a counter. */
export interface KeptCounter {
  /** Of the tag, when the counter was frozen with a reset. */
  readonly base: number;
  readonly frozen: number;
  /** Octet of the frozen value, its sequence number included. */
  readonly descriptor: number;
  /** When it was frozen, in milliseconds since the epoch. */
  readonly time: number;
  readonly sequence: number;
}

const range = 2 ** 32;
const sequenceMask = 0x1f;

interface State {
  readonly value: number;
  readonly descriptor: number;
  readonly time: number;
}

/** What control centres see of a counter: it is frozen, and reset, in the gateway alone. */
export class Counter {
  #base = 0;
  #frozen: State | undefined;
  sequence = 0;

  continue(before: Counter): void {
    this.#base = before.#base;
    this.#frozen = before.#frozen;
    this.sequence = before.sequence;
  }

  copy(): Counter {
    const copy = new Counter();
    copy.continue(this);
    return copy;
  }

  get kept(): KeptCounter | undefined {
    const frozen = this.#frozen;
    if (frozen === undefined && this.#base === 0) return undefined;
    return {
      base: this.#base,
      frozen: frozen?.value ?? 0,
      descriptor: frozen?.descriptor ?? QualityBit.INVALID,
      time: frozen?.time ?? 0,
      sequence: this.sequence,
    };
  }

  restore({ base, frozen, descriptor, time, sequence }: KeptCounter): void {
    this.#base = base;
    this.#frozen = { value: frozen, descriptor, time };
    this.sequence = sequence;
  }

  /** The count of the tag's value since the last reset, within the range of the protocol. */
  counted(value: number): { readonly value: number; readonly isCarried: boolean } {
    const count = Math.trunc(value - this.#base);
    return {
      value: (((count % range) + range) % range) | 0,
      isCarried: count > 0x7fff_ffff || count < -0x8000_0000,
    };
  }

  /** Keeps the present value. `resets`: counts from it on. */
  freeze(now: State, at: number, resets: boolean): void {
    const { value, isCarried } = this.counted(now.value);
    this.sequence = (this.sequence + 1) & sequenceMask;
    const descriptor =
      (now.descriptor & QualityBit.INVALID) | this.sequence | (isCarried ? CounterBit.CARRY : 0);
    this.#frozen = { value, descriptor, time: at };
    if (resets) this.#base = now.value;
  }

  /** Counts from the present value on, and keeps what was frozen. */
  reset(now: State): void {
    this.#base = now.value;
  }

  /** As it was frozen, or as it is now when it never was. */
  shown(now: State): State {
    if (this.#frozen !== undefined) return this.#frozen;
    const { value, isCarried } = this.counted(now.value);
    const descriptor =
      (now.descriptor & QualityBit.INVALID) | this.sequence | (isCarried ? CounterBit.CARRY : 0);
    return { value, descriptor, time: now.time };
  }
}
