import type { Fault, Values } from '@tagway/sdk';
import {
  noResponse,
  RangePlan,
  RetryTimer,
  type RangePlanOptions,
  type RefusalMemory,
} from '@tagway/sdk/link';
import { isBitArea, type Area } from './address.ts';
import type { Item } from './decode.ts';
import { Exception, readRefused } from './faults.ts';
import { limits, readRequest } from './protocol.ts';
import { RequestRange, type ReadRequest } from './read-request.ts';

/** A request that got no answer in a pass in which the unit answered others. */
interface Ignored {
  readonly timer: RetryTimer;
  /** It happened twice in a row: the request is no longer part of the passes. */
  isLeftOut: boolean;
}

/** How the items of a unit are packed. `maxGap` is the number of unused registers that a request may read along. */
export function packOptions(maxGap: number): RangePlanOptions<Item, RequestRange> {
  return {
    gap: (area) => maxGap * (isBitArea(area as Area) ? 16 : 1),
    most: (area) => (isBitArea(area as Area) ? limits.readBits : limits.readRegisters),
    make: (items) => new RequestRange(items),
  };
}

/**
 * The requests that read one unit's points of one group. It belongs to the plan of the group and lives as long. A refused
 * request is split until the addresses that the device refuses stand alone; what one pass does not find out is left to the next ones.
 */
export class UnitPlan {
  readonly unit: number;
  readonly #items: readonly Item[];
  readonly #memory: RefusalMemory<Fault>;
  readonly #ranges: RangePlan<Item, RequestRange>;
  /** Requests of every pass; those before `#next` were given out in this one. */
  #requests: ReadRequest[] = [];
  #next = 0;
  /** Pieces of refused requests that are still to be tried; the last is tried first. Their items are in no request of every pass. */
  readonly #suspects: ReadRequest[] = [];
  /** The memory's version for which the requests were packed; 0 has them packed anew at the next pass. */
  #version = 0;
  /** Refused addresses that are tried again in this pass; undefined until that is found out. */
  #retries: ReadRequest[] | undefined;
  readonly #ignored = new Map<ReadRequest, Ignored>();
  /** Ignored requests that are to be asked again now, outside of the passes. */
  readonly #due: ReadRequest[] = [];
  #sample = 0;

  constructor(unit: number, items: readonly Item[], maxGap: number, memory: RefusalMemory<Fault>) {
    this.unit = unit;
    this.#items = items;
    this.#memory = memory;
    this.#ranges = new RangePlan(items, packOptions(maxGap), memory);
  }

  /** Requests of a pass, as far as it is known what is refused. */
  count(): number {
    this.begin(0, 0);
    return this.#requests.length;
  }

  /** Begins a pass at `now` (milliseconds since the epoch). In another `epoch` than before, refused addresses are tried at once. */
  begin(now: number, epoch: number): void {
    this.#ranges.begin(now, epoch);
    // A new connection alone changes nothing: what was postponed or ignored stays so.
    if (this.#version !== this.#memory.version) this.#pack();
    this.#next = 0;
    this.#retries = undefined;
  }

  /** Ends a pass: what the device refuses, and what was not tried again in this pass, gets its fault. */
  end(now: number, into: Values): void {
    fillRefused(this.#suspects, into);
    fillRefused(this.#retries ?? this.#retry(now, 0, into), into);
  }

  /** The next request of this pass, or undefined when all have been given out. Requests that are passed over get their fault. */
  take(now: number, into: Values): ReadRequest | undefined {
    while (this.#next < this.#requests.length) {
      const request = this.#requests[this.#next++]!;
      const ignored = this.#ignored.size > 0 ? this.#ignored.get(request) : undefined;
      if (this.#memory.isAreaRefused(request.range.area, now))
        request.fill(readRefused(Exception.ILLEGAL_FUNCTION), into);
      else if (ignored?.isLeftOut === true) {
        request.fill(noResponse, into);
        if (!ignored.timer.due(now)) continue;
        ignored.timer.tried(now);
        this.#due.push(request);
      } else return request;
    }
    return undefined;
  }

  /** A request beyond those of every pass: a piece of a refused one, or one of `most` refused addresses that are to be tried again. */
  takeExtra(now: number, most: number, into: Values): ReadRequest | undefined {
    const suspect = this.#suspects.pop();
    if (suspect !== undefined) {
      // However the suspect ends, its items belong to the regular requests or to the refused ones afterwards.
      this.#version = 0;
      return suspect;
    }
    this.#retries ??= this.#retry(now, most, into);
    return this.#retries.pop();
  }

  get hasDue(): boolean {
    return this.#due.length > 0;
  }

  /** Ignored requests that are to be asked again now, whatever the passes do. */
  takeDue(): ReadRequest[] {
    return this.#due.splice(0);
  }

  /** A small read of the unit, each time of another item: one of them alone may be what it does not answer. */
  sample(): Buffer {
    const { area, start, end } = this.#items[this.#sample++ % this.#items.length]!;
    return readRequest(area, start, end - start);
  }

  /** Gives up the rest of the pass: all requests not given out get the fault. */
  skip(fault: Fault, into: Values): void {
    for (const request of this.#requests.slice(this.#next)) request.fill(fault, into);
    this.#next = this.#requests.length;
  }

  /** The request was read well. */
  accept(request: ReadRequest, now: number): void {
    if (this.#ignored.size > 0) this.unignore(request);
    this.#ranges.accept(request.range, now);
  }

  /** The device itself, not a gateway on the way to it, refused the request with this exception. */
  refuse(request: ReadRequest, exception: number, now: number, into: Values): void {
    const refusal = readRefused(exception);
    if (exception === Exception.ILLEGAL_FUNCTION) this.#memory.refuseArea(request.range.area, now);
    if (localised.has(exception)) return this.#divide(request, refusal, now, into);
    request.range.split = undefined;
    request.refusal = refusal;
    request.fill(refusal, into);
  }

  /** The device closes the connection when it is asked this. */
  closed(request: ReadRequest, now: number, into: Values): void {
    this.#divide(request, noResponse, now, into);
  }

  /** It was the unit and not what it was asked for: nothing is held against these requests, nor against their pieces. */
  forgive(requests: readonly ReadRequest[], into: Values): void {
    for (const { range } of requests) this.#memory.accept(range.items[0]!);
    for (const piece of this.#suspects.splice(0)) piece.fill(noResponse, into);
    this.#version = 0;
  }

  /**
   * The request got no answer. It moves to the end, because otherwise the same requests behind it would be skipped in every
   * pass. When it gets no answer again although the unit answers others (`heard`), it is asked now and then, outside of the passes.
   */
  postpone(request: ReadRequest, heard: boolean, now: number): void {
    const at = this.#requests.indexOf(request);
    if (at < 0) return;
    this.#requests.splice(at, 1);
    this.#requests.push(request);
    if (heard) this.ignore(request, now);
  }

  /** The unit does not answer this request, for the first time or again. */
  ignore(request: ReadRequest, now: number): void {
    const ignored = this.#ignored.get(request);
    if (ignored === undefined) this.#ignored.set(request, { timer: new RetryTimer(), isLeftOut: false });
    else {
      ignored.isLeftOut = true;
      ignored.timer.refused(now);
    }
  }

  /** The unit answers this request after all. */
  unignore(request: ReadRequest): void {
    this.#ignored.delete(request);
  }

  /** Leaves the halves of a refused request, and theirs, to be tried until what is refused stands alone. */
  #divide(request: ReadRequest, refusal: Fault, now: number, into: Values): void {
    const halves = this.#ranges.refuse(request.range, refusal, now);
    request.refusal = refusal;
    if (halves === undefined) return request.fill(refusal, into);
    this.#version = 0;
    for (const half of halves.toReversed())
      this.#suspects.push(half.request.refused(refusal, refusal === noResponse));
  }

  #retry(now: number, most: number, into: Values): ReadRequest[] {
    const ranges = this.#ranges.retry(now, most, ({ index }, reason) => into.fault(index, reason));
    return ranges.map(({ items, request }) => {
      const reason = this.#memory.reasonOf(items[0]!);
      return request.refused(reason, reason === noResponse);
    });
  }

  /** Takes the ranges of the plan for the requests of every pass, but for the items of suspects. */
  #pack(): void {
    this.#version = this.#memory.version;
    this.#ignored.clear();
    this.#due.length = 0;
    const suspects = new Set(this.#suspects.flatMap(({ range }) => range.items));
    this.#requests = this.#ranges.ranges.flatMap((range) => {
      const parts: Item[][] = [[]];
      for (const item of range.items)
        if (suspects.has(item)) parts.push([]);
        else parts.at(-1)!.push(item);
      if (parts.length === 1) return [range.request];
      return parts.filter(({ length }) => length > 0).map((items) => new RequestRange(items).request);
    });
  }
}

function fillRefused(requests: readonly ReadRequest[], into: Values): void {
  for (const request of requests) if (request.refusal !== undefined) request.fill(request.refusal, into);
}

/** Exceptions that may be about one address of many: illegal address, illegal value (too many, for some devices), failure. */
const localised = new Set<number>([
  Exception.ILLEGAL_DATA_ADDRESS,
  Exception.ILLEGAL_DATA_VALUE,
  Exception.SERVER_DEVICE_FAILURE,
]);
