import { Exception } from '@tagway/modbus/server';

/** What is in a place. */
export const PlaceState = { GAP: 0, GOOD: 1, BAD: 2 } as const;
export type PlaceState = (typeof PlaceState)[keyof typeof PlaceState];

/** Places of a page: what lies near to each other is read at once. */
const pageSize = 256;

/** Neighbouring places: two bytes for each register, one for each bit. */
interface Page {
  readonly data: Buffer;
  readonly states: Uint8Array;
  /** Places that are not good. */
  problems: number;
}

/** One table of one unit: what masters read is always there as bytes, so that a request copies and computes nothing. */
export class AreaMap {
  /** Bytes of a place: 2 for registers, 1 for bits. */
  readonly #width: 1 | 2;
  /** Places without a row are read as 0. */
  readonly #readsGaps: boolean;
  readonly #pages = new Map<number, Page>();

  constructor(width: 1 | 2, readsGaps: boolean) {
    this.#width = width;
    this.#readsGaps = readsGaps;
  }

  /** A row has these places; it may have said before that it has no value. */
  occupy(start: number, count: number): void {
    for (let place = start; place < start + count; place++)
      if (this.#page(place).states[place % pageSize] === PlaceState.GAP)
        this.setState(place, PlaceState.GOOD);
  }

  setState(place: number, state: PlaceState): void {
    const page = this.#page(place);
    const at = place % pageSize;
    const before = page.states[at]!;
    page.states[at] = state;
    if ((before === PlaceState.GOOD) !== (state === PlaceState.GOOD))
      page.problems += state === PlaceState.GOOD ? -1 : 1;
  }

  /** Puts registers there, from the beginning of `data` on. */
  putRegisters(start: number, count: number, data: Uint8Array): void {
    for (let index = 0; index < count; index++) {
      const place = start + index;
      const { data: own } = this.#page(place);
      const at = 2 * (place % pageSize);
      own[at] = data[2 * index]!;
      own[at + 1] = data[2 * index + 1]!;
    }
  }

  putBit(place: number, bit: number): void {
    this.#page(place).data[place % pageSize] = bit;
  }

  /** Copies registers to `out[at]`. Returns an exception code, or 0. */
  readRegisters(start: number, count: number, out: Buffer, at: number): number {
    let problem = 0;
    for (let place = start, end = start + count; place < end;) {
      const from = place % pageSize;
      const part = Math.min(pageSize - from, end - place);
      const page = this.#pages.get((place - from) / pageSize);
      const to = at + 2 * (place - start);
      problem = worse(problem, this.#problemIn(page, from, part));
      if (page === undefined) out.fill(0, to, to + 2 * part);
      else page.data.copy(out, to, 2 * from, 2 * (from + part));
      place += part;
    }
    return problem;
  }

  /** Packs bits into the bytes from `out[at]` on, the first into the lowest bit. Returns an exception code, or 0. */
  readBits(start: number, count: number, out: Buffer, at: number): number {
    let problem = 0;
    out.fill(0, at, at + Math.ceil(count / 8));
    for (let place = start, end = start + count; place < end;) {
      const from = place % pageSize;
      const part = Math.min(pageSize - from, end - place);
      const page = this.#pages.get((place - from) / pageSize);
      problem = worse(problem, this.#problemIn(page, from, part));
      for (let index = 0; page !== undefined && index < part; index++) {
        const bit = place - start + index;
        out[at + (bit >> 3)]! |= page.data[from + index]! << (bit & 7);
      }
      place += part;
    }
    return problem;
  }

  #problemIn(page: Page | undefined, from: number, count: number): number {
    const gap = this.#readsGaps ? 0 : Exception.ILLEGAL_DATA_ADDRESS;
    if (page === undefined) return gap;
    if (page.problems === 0) return 0;
    let problem = 0;
    for (let at = from; at < from + count; at++) {
      const state = page.states[at]!;
      if (state === PlaceState.GAP) problem = worse(problem, gap);
      else if (state === PlaceState.BAD) problem = worse(problem, Exception.GATEWAY_TARGET_FAILED);
    }
    return problem;
  }

  #page(place: number): Page {
    const number = Math.floor(place / pageSize);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = {
        data: Buffer.alloc(pageSize * this.#width),
        states: new Uint8Array(pageSize),
        problems: pageSize,
      };
      this.#pages.set(number, page);
    }
    return page;
  }
}

/** That an address is not there comes before that a value is bad. */
function worse(one: number, other: number): number {
  if (one === Exception.ILLEGAL_DATA_ADDRESS || other === 0) return one;
  return other;
}
