import type { Fault, Values } from '@tagway/sdk';
import { noResponse, RetryTimer, splitPlace, type RefusalMemory } from '@tagway/sdk/link';
import { Exception, readRefused } from '../faults.ts';
import { readRequest } from '../pdu.ts';
import type { Item } from './item.ts';
import { packRequests } from './pack-requests.ts';
import { ReadRequest, type Split } from './read-request.ts';

/** A request that got no answer in a cycle in which the unit answered others. */
interface Ignored {
  readonly timer: RetryTimer;
  /** It happened twice in a row: the request is no longer part of the cycles. */
  isLeftOut: boolean;
}

/**
 * The requests that read one unit's points of one group. It belongs to the plan of the group and lives as long. A refused
 * request is split until the addresses that the device refuses stand alone; the other items are then packed into requests
 * anew.
 */
export class UnitPlan {
  readonly unit: number;
  readonly #items: readonly Item[];
  readonly #maxGap: number;
  readonly #memory: RefusalMemory<Fault>;
  /** The memory's version for which the requests were packed; 0 has them packed anew at the next cycle. */
  #version = 0;
  /** Requests of every cycle; those before `#next` were given out in this one. */
  #requests: ReadRequest[] = [];
  #next = 0;
  /** Pieces of refused requests that are still to be tried; the last is tried first. */
  readonly #suspects: ReadRequest[] = [];
  /** Items that the device refuses; those of the same start and length share a request. */
  #refused: ReadRequest[] = [];
  /** Those of the refused ones that were given out in this cycle. */
  readonly #retried = new Set<ReadRequest>();
  readonly #ignored = new Map<ReadRequest, Ignored>();
  /** Ignored requests that are to be asked again now, outside of the cycles. */
  readonly #due: ReadRequest[] = [];
  #sample = 0;

  /** `items` are sorted by place. */
  constructor(unit: number, items: readonly Item[], maxGap: number, memory: RefusalMemory<Fault>) {
    this.unit = unit;
    this.#items = items;
    this.#maxGap = maxGap;
    this.#memory = memory;
  }

  /** Begins a cycle at `now` (milliseconds since the epoch). In another `epoch` than before, refused addresses are tried at once. */
  begin(now: number, epoch: number): void {
    this.#memory.begin(now, epoch);
    if (this.#version !== this.#memory.version) this.#pack();
    this.#next = 0;
    this.#retried.clear();
  }

  /** Ends a cycle: what the device refuses, and what was not tried again in this cycle, gets its fault. */
  end(into: Values): void {
    for (const request of this.#suspects) fillRefused(request, into);
    for (const request of this.#refused) if (!this.#retried.has(request)) fillRefused(request, into);
  }

  /** The next request of this cycle, or undefined when all have been given out. Requests that are passed over get their fault. */
  take(now: number, into: Values): ReadRequest | undefined {
    while (this.#next < this.#requests.length) {
      const request = this.#requests[this.#next++]!;
      const ignored = this.#ignored.size > 0 ? this.#ignored.get(request) : undefined;
      if (this.#memory.isAreaRefused(request.first.area, now))
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

  /** A request beyond those of every cycle: a piece of a refused one, or a refused address that is to be tried again. */
  takeExtra(now: number): ReadRequest | undefined {
    const suspect = this.#suspects.pop();
    // However the suspect ends, its items belong to the regular requests or to the refused ones afterwards.
    if (suspect !== undefined) this.#version = 0;
    if (suspect !== undefined) return suspect;
    if (this.#refused.length === 0) return undefined;
    const refused = this.#refused.find((request) => this.#memory.tries(request.first, now));
    if (refused !== undefined) this.#retried.add(refused);
    return refused;
  }

  /** Ignored requests that are to be asked again now, whatever the cycles do. */
  takeDue(): ReadRequest[] {
    return this.#due.splice(0);
  }

  /** A small read of the unit, each time of another item: one of them alone may be what it does not answer. */
  sample(): Buffer {
    const { area, start, end } = this.#items[this.#sample++ % this.#items.length] as Item;
    return readRequest(area, start, end - start);
  }

  /** Gives up the rest of the cycle: all requests not given out get the fault. */
  skip(fault: Fault, into: Values): void {
    for (const request of this.#requests.slice(this.#next)) request.fill(fault, into);
    this.#next = this.#requests.length;
  }

  /** The request was read well. */
  accept(request: ReadRequest, now: number): void {
    this.#memory.accept(request.first);
    if (this.#ignored.size > 0) this.#ignored.delete(request);
    const { split } = request;
    if (split === undefined) return;
    request.split = undefined;
    split.good++;
    if (split.good === 2) this.#memory.cut(split.boundary, now);
  }

  /** The device itself, not a gateway on the way to it, refused the request with this exception. */
  refuse(request: ReadRequest, exception: number, now: number, into: Values): void {
    const refusal = readRefused(exception);
    if (exception === Exception.ILLEGAL_FUNCTION) this.#memory.refuseArea(request.first.area, now);
    if (localised.has(exception)) return this.#divide(request, refusal, now, into);
    request.split = undefined;
    request.refusal = refusal;
    request.fill(refusal, into);
  }

  /** The device closes the connection when it is asked this. */
  shut(request: ReadRequest, now: number, into: Values): void {
    this.#divide(request, noResponse, now, into);
  }

  /** It was the unit and not what it was asked for: nothing is held against these requests, nor against their pieces. */
  forgive(requests: readonly ReadRequest[], into: Values): void {
    for (const { first } of requests) this.#memory.accept(first);
    for (const piece of this.#suspects.splice(0)) piece.fill(noResponse, into);
    this.#version = 0;
  }

  /**
   * The request got no answer. It moves to the end, because otherwise the same requests behind it would be skipped in every
   * cycle. When it gets no answer again although the unit answers others (`heard`), it is asked now and then, outside of the cycles.
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
    if (ignored === undefined) {
      this.#ignored.set(request, { timer: new RetryTimer(), isLeftOut: false });
      return;
    }
    ignored.isLeftOut = true;
    ignored.timer.refused(now);
  }

  /** The unit answers this request after all. */
  heed(request: ReadRequest): void {
    this.#ignored.delete(request);
  }

  /** Reads the halves of a refused request, and theirs, until what is refused stands alone. */
  #divide(request: ReadRequest, refusal: Fault, now: number, into: Values): void {
    request.refusal = refusal;
    request.split = undefined;
    const place = splitPlace(request.items);
    if (place === undefined) {
      request.fill(refusal, into);
      this.#memory.refuse(request.first, refusal, now);
      return;
    }
    this.#version = 0;
    const split: Split = { boundary: request.items[place]!, good: 0 };
    for (const half of [request.items.slice(place), request.items.slice(0, place)]) {
      const piece = new ReadRequest(half);
      piece.split = split;
      piece.refusal = refusal;
      piece.isSuspect = refusal === noResponse;
      this.#suspects.push(piece);
    }
  }

  #pack(): void {
    const tried = new Set(this.#suspects.flatMap((request) => request.items));
    const sound: Item[] = [];
    const refused = new Map<string, Item[]>();
    /** Items right behind refused ones. No request may reach across their start, or it would read the refused registers as a gap. */
    const barriers = new Set<Item>();
    let behindRefused = false;
    for (const item of this.#items) {
      if (tried.has(item)) continue;
      if (this.#memory.reasonOf(item) === undefined) {
        if (behindRefused) barriers.add(item);
        behindRefused = false;
        sound.push(item);
        continue;
      }
      behindRefused = true;
      const place = `${item.area} ${item.start} ${item.end}`;
      const members = refused.get(place);
      if (members === undefined) refused.set(place, [item]);
      else members.push(item);
    }
    const isCut = (item: Item): boolean => barriers.has(item) || this.#memory.isCut(item);
    this.#requests = packRequests(sound, this.#maxGap, isCut);
    this.#refused = Array.from(refused.values(), (items) => {
      const request = new ReadRequest(items);
      request.refusal = this.#memory.reasonOf(request.first);
      request.isSuspect = request.refusal === noResponse;
      return request;
    });
    this.#ignored.clear();
    this.#due.length = 0;
    this.#version = this.#memory.version;
  }
}

function fillRefused(request: ReadRequest, into: Values): void {
  if (request.refusal !== undefined) request.fill(request.refusal, into);
}

/** Exceptions that may be about one address of many: illegal address, illegal value (too many, for some devices), failure. */
const localised = new Set<number>([
  Exception.ILLEGAL_DATA_ADDRESS,
  Exception.ILLEGAL_DATA_VALUE,
  Exception.SERVER_DEVICE_FAILURE,
]);
