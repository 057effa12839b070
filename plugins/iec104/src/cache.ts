import { DataType, type Fault } from '@tagway/sdk';
import { Kind } from '@tagway/iec104';
import { counterNotAsked, neverReported } from './faults.ts';

/** Most objects that are kept: a station may report any number of objects that no tag names. */
const mostUnasked = 262_144;

/** The latest of every information object of one station, in columns. A slot stays that of its object for the whole run. */
export class Cache {
  readonly #slots = new Map<number, number>();
  readonly #mostUnasked: number;
  readonly #asksCounters: boolean;
  /** Why objects are not there, where the interrogation shows it. */
  absence: Fault | undefined;
  kinds = new Uint8Array(64);
  /** Type identifications with which they were reported. */
  types = new Uint8Array(64);
  values = new Float64Array(64);
  /** Flags of `Quality`. */
  qualities = new Uint32Array(64);
  /** 1: the station marks the value as invalid. */
  invalid = new Uint8Array(64);
  /** Milliseconds since the epoch, NaN when the report had no time. */
  times = new Float64Array(64);

  /** `asksCounters`: the station is asked for its counters. */
  constructor(asksCounters: boolean, unasked = mostUnasked) {
    this.#asksCounters = asksCounters;
    this.#mostUnasked = unasked;
  }

  /** Why an object was not reported that a tag of this type is to show. */
  absenceOf(type: DataType): Fault {
    const mayCount = type === DataType.INT32 || type === DataType.UINT32;
    return this.absence ?? (mayCount && !this.#asksCounters ? counterNotAsked : neverReported);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** The slot of an object that a tag names. */
  claim(object: number): number {
    return this.#slots.get(object) ?? this.#add(object);
  }

  /** The slot of an object that was reported, or -1 when there is no room for more than tags name. */
  slotOf(object: number): number {
    const slot = this.#slots.get(object);
    if (slot !== undefined) return slot;
    return this.size < this.#mostUnasked ? this.#add(object) : -1;
  }

  set(
    slot: number,
    kind: Kind,
    type: number,
    value: number,
    quality: number,
    invalid: boolean,
    time: number,
  ): void {
    this.kinds[slot] = kind;
    this.types[slot] = type;
    this.values[slot] = value;
    this.qualities[slot] = quality;
    this.invalid[slot] = invalid ? 1 : 0;
    this.times[slot] = time;
  }

  /** The link is lost: no value that is known may be taken for the present state. */
  clear(): void {
    this.kinds.fill(Kind.NONE);
    this.absence = undefined;
  }

  /** Objects that have been reported, ascending, with their kinds. */
  reported(): { readonly object: number; readonly kind: Kind }[] {
    const all = Array.from(this.#slots, ([object, slot]) => ({ object, kind: this.kinds[slot] as Kind }));
    return all.filter(({ kind }) => kind !== Kind.NONE).sort((one, other) => one.object - other.object);
  }

  #add(object: number): number {
    const slot = this.#slots.size;
    if (slot === this.kinds.length) this.#grow();
    this.#slots.set(object, slot);
    return slot;
  }

  #grow(): void {
    const size = 2 * this.kinds.length;
    const grown = <T extends Uint8Array | Uint32Array | Float64Array>(larger: T, old: T): T => {
      larger.set(old);
      return larger;
    };
    this.kinds = grown(new Uint8Array(size), this.kinds);
    this.types = grown(new Uint8Array(size), this.types);
    this.values = grown(new Float64Array(size), this.values);
    this.qualities = grown(new Uint32Array(size), this.qualities);
    this.invalid = grown(new Uint8Array(size), this.invalid);
    this.times = grown(new Float64Array(size), this.times);
  }
}
