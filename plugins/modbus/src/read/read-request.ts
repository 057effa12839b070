import type { Fault, Outcome } from '@tagway/sdk';
import type { Endianness } from '../byte-order.ts';
import { compileRuns, type Run } from './decode.ts';
import type { Exchange } from '../link/link.ts';
import { judgeRead, readBytes, readRequest, Verdict } from '../pdu.ts';
import type { Item } from './item.ts';
import type { Split } from './split.ts';

/** Who is told how a read request ended. */
export interface ReadObserver {
  /** `exception` is 0 when the values have been taken over. */
  answered(request: ReadRequest, exception: number): void;
  failed(request: ReadRequest, fault: Fault): void;
}

/**
 * One request for neighbouring items of one unit and area, and the decoding of its answer. A unit plan owns it and sends
 * it in cycle after cycle, until the plan packs its requests anew.
 */
export class ReadRequest implements Exchange {
  readonly unit: number;
  readonly first: Item;
  /** Sorted by place. */
  readonly items: readonly Item[];
  readonly pdu: Buffer;
  /** The split that made this request, while it is not known whether both halves can be read. */
  split: Split | undefined;
  observer: ReadObserver | undefined;
  readonly #bytes: number;
  readonly #outcomes: Outcome[];
  readonly #node: Endianness;
  #runs: readonly Run[] | undefined;

  constructor(items: readonly Item[], outcomes: Outcome[], node: Endianness) {
    const first = items[0] as Item;
    const end = items.reduce((most, item) => Math.max(most, item.end), 0);
    const { area } = first.address;
    this.unit = first.address.unit;
    this.first = first;
    this.items = items;
    this.pdu = readRequest(area, first.start, end - first.start);
    this.#bytes = readBytes(area, end - first.start);
    this.#outcomes = outcomes;
    this.#node = node;
  }

  /** Gives every item the fault. */
  fill(fault: Fault): void {
    for (const item of this.items) this.#outcomes[item.index] = fault;
  }

  answered(data: Buffer, start: number, end: number): boolean {
    const verdict = judgeRead(this.pdu, this.#bytes, data, start, end);
    if (verdict === Verdict.MALFORMED) return false;
    if (verdict === Verdict.GOOD) {
      this.#runs ??= compileRuns(this.items, this.first.start, this.#node);
      for (const run of this.#runs) run.decode(data, start + 2, run, this.#outcomes);
    }
    this.observer?.answered(this, verdict);
    return true;
  }

  failed(fault: Fault): void {
    this.observer?.failed(this, fault);
  }
}
