import { performance } from 'node:perf_hooks';
import type { DataType, Fault, Values } from '@tagway/sdk';
import {
  damaged,
  disconnected,
  noResponse,
  type Bus,
  type BusRequest,
  type Progress,
} from '@tagway/sdk/link';
import type { Address } from './address.ts';
import { decode } from './decode.ts';
import { endless, refusal } from './faults.ts';
import type { Datum } from './meter.ts';
import { Control, mostAnswer, readFrame, readMoreFrame } from './protocol.ts';
import type { Expected, Reply } from './reply.ts';

/** Highest number of a frame that follows. */
const lastSequence = 255;

/** A point of a plan. */
export interface Item {
  readonly index: number;
  readonly type: DataType;
  readonly address: Address;
}

/** Reads one datum of a meter for the points of a group: one request, and one more for each frame that follows. It is used again in every pass. */
export class ReadRequest implements BusRequest, Expected {
  bytes: Buffer;
  readonly answerSize = mostAnswer;
  readonly datum: Datum;
  /** What the meter sent: `data[0, size)`. */
  data: Buffer = Buffer.alloc(16);
  size = 0;
  sequence = 0;
  readonly #items: readonly Item[];
  readonly #bus: Bus<ReadRequest>;
  readonly #reply: Reply;
  readonly #timeout: number;
  readonly #first: Buffer;
  #tries = 0;
  #settle: (fault: Fault | undefined) => void = () => undefined;

  constructor(datum: Datum, items: readonly Item[], bus: Bus<ReadRequest>, reply: Reply, timeout: number) {
    this.datum = datum;
    this.#items = items;
    this.#bus = bus;
    this.#reply = reply;
    this.#timeout = timeout;
    this.#first = readFrame(datum.meter.bytes, datum.identifier);
    this.bytes = this.#first;
  }

  /** Sets its points to what the meter sent. */
  decode(into: Values): void {
    for (const { address, index, type } of this.#items)
      decode(address, type, this.data, this.size, index, into);
  }

  fill(fault: Fault, into: Values): void {
    for (const { index } of this.#items) into.fault(index, fault);
  }

  get station(): string {
    return this.datum.meter.address;
  }

  /** Answers name their datum, so the answers to two requests can be distinguished. */
  get kind(): number {
    return this.datum.identifier;
  }

  get address(): Buffer {
    return this.datum.meter.bytes;
  }

  get identifier(): number {
    return this.datum.identifier;
  }

  get control(): number {
    return this.sequence === 0 ? Control.READ : Control.READ_MORE;
  }

  /** Asks, at most `tries` times for each frame. `settle` gets the fault, or nothing when the data is there. False: the link is down. */
  ask(tries: number, settle: (fault: Fault | undefined) => void): boolean {
    this.bytes = this.#first;
    this.sequence = this.size = 0;
    this.#tries = tries;
    this.#settle = settle;
    return this.#bus.add(this);
  }

  begin(): void {
    this.#reply.expect(this);
  }

  take(data: Buffer, end: number): Progress {
    const progress = this.#reply.take(data, end);
    if (progress === 'answered' && this.#reply.error < 0) {
      this.#keep();
      // Meters answer in order, so the answer that was missing will not come any more.
      this.datum.meter.missedUntil = 0;
    }
    return progress;
  }

  /** An error that comes while the answer to another item is missing may be that answer. */
  errorIsOurs(): boolean {
    const { missed, missedUntil } = this.datum.meter;
    return missed === this.identifier || performance.now() >= missedUntil;
  }

  done(): void {
    const { error, more } = this.#reply;
    if (error >= 0) return this.#settle(refusal(error));
    if (!more) return this.#settle(undefined);
    if (this.sequence === lastSequence) return this.#settle(endless);
    this.sequence++;
    this.bytes = readMoreFrame(this.address, this.identifier, this.sequence);
    if (!this.#bus.add(this)) this.#settle(disconnected);
  }

  failed(fault: Fault): void {
    if (fault === noResponse) {
      const { meter } = this.datum;
      meter.missed = this.identifier;
      meter.missedUntil = performance.now() + this.#timeout;
    }
    const mayRepeat = fault === noResponse || fault === damaged;
    if (!mayRepeat || --this.#tries <= 0 || !this.#bus.add(this)) this.#settle(fault);
  }

  #keep(): void {
    const { data, start, end } = this.#reply;
    const size = this.size + end - start;
    if (size > this.data.length) {
      const larger = Buffer.alloc(2 * size);
      larger.set(this.data.subarray(0, this.size));
      this.data = larger;
    }
    this.data.set(data.subarray(start, end), this.size);
    this.size = size;
  }
}
