import { Fifo } from './fifo.ts';
import type { SpoolRecord } from './record.ts';
import type { Place } from './segments.ts';

/** `stored`: the disk has it and the memory no longer. `gone`: done or dropped. */
type State = 'waiting' | 'out' | 'stored' | 'gone';

/** A record in memory. */
export interface Entry extends SpoolRecord {
  /** Bytes that count for the bound on memory. */
  readonly size: number;
  /** When it was pushed: milliseconds of `performance.now()`. */
  readonly at: number;
  state: State;
  /** Its place on the disk, if it was stored. */
  place: Place | undefined;
}

/** Bytes of a record in memory beside its data, so that many small ones are bounded too. */
const overhead = 128;

/** Bytes that a record costs in memory. */
export function sizeInMemory(key: string, data: Uint8Array): number {
  return data.length + key.length * 2 + overhead;
}

/** The records in memory: those that wait, and all that are out, also those from the disk. */
export class Queue {
  readonly #inFlight = new Map<number, Entry>();
  #held = new Fifo<Entry>();
  #live = new Fifo<Entry>();
  #bytes = 0;

  /** Bytes of the records that the disk does not have. */
  get bytes(): number {
    return this.#bytes;
  }

  get held(): number {
    return this.#held.size;
  }

  get live(): number {
    return this.#live.size;
  }

  /** Records that are out, in the order in which they were taken. */
  get inFlight(): ReadonlyMap<number, Entry> {
    return this.#inFlight;
  }

  push({ sequence, key, data }: SpoolRecord, live: boolean): void {
    const size = sizeInMemory(key, data);
    const at = performance.now();
    (live ? this.#live : this.#held).push({
      sequence,
      key,
      data,
      size,
      at,
      state: 'waiting',
      place: undefined,
    });
    this.#bytes += size;
  }

  takeHeld(): Entry | undefined {
    return this.#hand(this.#held.shift());
  }

  takeLive(): Entry | undefined {
    return this.#hand(this.#live.shift());
  }

  /** Takes a record that was read from the disk. */
  handStored(record: SpoolRecord, place: Place): Entry | undefined {
    return this.#hand({ ...record, size: 0, at: 0, state: 'waiting', place });
  }

  /** A record is done. Undefined when it is not out. */
  finish(record: SpoolRecord): Entry | undefined {
    const entry = this.#inFlight.get(record.sequence);
    if (entry !== record) return undefined;
    this.#inFlight.delete(entry.sequence);
    this.#forget(entry);
    return entry;
  }

  /** Drops the oldest record: first those that wait, because the receiver probably has those that are out. */
  drop(): boolean {
    const entry = this.#held.shift() ?? this.#live.shift() ?? this.#unstoredOut()[0];
    if (entry === undefined) return false;
    this.#inFlight.delete(entry.sequence);
    this.#forget(entry);
    return true;
  }

  /** Records that are out and in memory alone wait again, and live ones behind them. Returns those that the disk has. */
  release(): Entry[] {
    const released = [...this.#inFlight.values()];
    for (const entry of released) entry.state = 'waiting';
    this.#inFlight.clear();
    this.#held = new Fifo(
      inOrder([
        ...released.filter(({ place }) => place === undefined),
        ...this.#held.items(),
        ...this.#live.items(),
      ]),
    );
    this.#live = new Fifo();
    return released.filter(({ place }) => place !== undefined);
  }

  /** All records that the disk does not have, in order. */
  unstored(): Entry[] {
    return inOrder([...this.#unstoredOut(), ...this.#held.items(), ...this.#live.items()]);
  }

  /** When the oldest of these was pushed; infinite when there is none. */
  get oldest(): number {
    const ages = this.#unstoredOut().map(({ at }) => at);
    return Math.min(this.#held.first?.at ?? Infinity, this.#live.first?.at ?? Infinity, ...ages);
  }

  /** The disk has a record that waits or is out. */
  store(entry: Entry, place: Place): void {
    this.#bytes -= entry.size;
    if (entry.state === 'out') entry.place = place;
    else entry.state = 'stored';
    // Records are stored in order, so stored ones are always at the front.
    for (const queue of [this.#held, this.#live]) while (queue.first?.state === 'stored') queue.shift();
  }

  #unstoredOut(): Entry[] {
    return [...this.#inFlight.values()].filter(({ place }) => place === undefined);
  }

  #hand(entry: Entry | undefined): Entry | undefined {
    if (entry === undefined) return undefined;
    entry.state = 'out';
    this.#inFlight.set(entry.sequence, entry);
    return entry;
  }

  #forget(entry: Entry): void {
    entry.state = 'gone';
    if (entry.place === undefined) this.#bytes -= entry.size;
  }
}

function inOrder(entries: Entry[]): Entry[] {
  return entries.sort((one, other) => one.sequence - other.sequence);
}
