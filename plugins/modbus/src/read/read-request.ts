import type { Fault, Values } from '@tagway/sdk';
import { compileRuns, type Run } from './decode.ts';
import { Flight, type Sendable } from '../traffic.ts';
import { judgeRead, readBytes, readRequest, Verdict } from '../pdu.ts';
import type { Item } from './item.ts';

/** A refused request that is read again in two halves. */
export interface Split {
  /** First item of the second half. */
  readonly boundary: Item;
  /** How many of the two halves were read well as a whole. */
  good: number;
}

/** Who waits for the answer to a read request, and where its values go. */
export interface ReadObserver {
  readonly into: Values;
  /** `exception` is 0 when the values have been taken over. */
  answered(request: ReadRequest, exception: number): void;
  failed(request: ReadRequest, fault: Fault): void;
}

/**
 * One request for neighbouring items of one unit and area, and the decoding of its answer. A unit plan owns it and sends
 * it in cycle after cycle, until the plan packs its requests anew.
 */
export class ReadRequest implements Sendable {
  readonly unit: number;
  readonly first: Item;
  /** Sorted by place. */
  readonly items: readonly Item[];
  readonly pdu: Buffer;
  /** The split that made this request, while it is not known whether both halves can be read. */
  split: Split | undefined;
  /** What its items carry in a cycle that does not send it; set while the device refuses them. */
  refusal: Fault | undefined;
  isSuspect = false;
  isSpare = false;
  readonly flight = new Flight();
  /** Set before the request is sent. */
  observer: ReadObserver | undefined;
  readonly #bytes: number;
  #runs: readonly Run[] | undefined;

  constructor(items: readonly Item[]) {
    const first = items[0] as Item;
    const end = items.reduce((most, item) => Math.max(most, item.end), 0);
    const { area } = first.address;
    this.unit = first.address.unit;
    this.first = first;
    this.items = items;
    this.pdu = readRequest(area, first.start, end - first.start);
    this.#bytes = readBytes(area, end - first.start);
  }

  /** Gives every item the fault. */
  fill(fault: Fault, into: Values): void {
    for (const item of this.items) into.fault(item.index, fault);
  }

  answered(data: Buffer, start: number, end: number): boolean {
    const verdict = judgeRead(this.pdu, this.#bytes, data, start, end);
    if (verdict === Verdict.MALFORMED) return false;
    const observer = this.#release();
    if (observer === undefined) return true;
    if (verdict === Verdict.GOOD) {
      this.#runs ??= compileRuns(this.items, this.first.start);
      for (const run of this.#runs) run.decode(data, start + 2, run, observer.into);
    }
    observer.answered(this, verdict);
    return true;
  }

  failed(fault: Fault): void {
    this.#release()?.failed(this, fault);
  }

  /** Lets go of the observer: it belongs to one cycle, and the request outlives that. */
  #release(): ReadObserver | undefined {
    const { observer } = this;
    this.observer = undefined;
    return observer;
  }
}
