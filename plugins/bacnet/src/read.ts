import { isFault, type Call, type Fault, type Values } from '@tagway/sdk';
import { decodeEnclosed } from './decode.ts';
import { TagCursor } from './encoding.ts';
import { refusalOf, type Answer, type Exchange } from './exchange.ts';
import { AbortReason, errorFault, RejectReason, undecodable } from './faults.ts';
import { PlannedRequest, type Item, type ReadPlan } from './plan.ts';
import { Kind, Service } from './protocol.ts';
import { openReadProperty, readError, readReference } from './services.ts';
import type { DeviceInfo } from './session.ts';

/** Most requests of one pass that look for what the device refuses. */
const mostSearches = 32;

/** Reasons of an abort because the answer is too large; no single item is the cause. */
const tooMuch: ReadonlySet<number> = new Set(Object.values(AbortReason));

export interface ReadPassParts {
  readonly exchange: Exchange;
  readonly device: DeviceInfo;
  readonly plan: ReadPlan;
  readonly into: Values;
  readonly call: Call;
  readonly now: number;
}

/** One pass of reading the points of one group. */
export class ReadPass {
  readonly #parts: ReadPassParts;
  readonly #cursor = new TagCursor();
  #searches = mostSearches;
  #wasAnswered = false;
  #wasRefused = false;

  constructor(parts: ReadPassParts) {
    this.#parts = parts;
  }

  /** Gives every point of the plan's requests a value or a fault, once. Rejects with DISCONNECTED when the link goes, or with the signal's reason. */
  async run(): Promise<void> {
    const { plan, device, now, call } = this.#parts;
    await this.#askAll(plan.requests(device, now));
    if (this.#wasRefused && !this.#wasAnswered && call.cause !== 'test') device.recovery.refused();
  }

  async #askAll(requests: readonly PlannedRequest[]): Promise<void> {
    const results = await Promise.allSettled(requests.map((request) => this.#ask(request)));
    for (const result of results) if (result.status === 'rejected') throw result.reason as Error;
  }

  async #ask(request: PlannedRequest): Promise<void> {
    const { exchange, call, now } = this.#parts;
    if (!request.due(now)) {
      if (request.parts.length > 0) return this.#askAll(request.parts);
      return this.#fill(request, request.refusal ?? undecodable);
    }
    const answer = await exchange.ask(request.service, request.body, call.signal);
    if (isFault(answer)) return this.#fill(request, answer);
    if (answer.kind === Kind.COMPLEX_ACK) {
      request.accepted();
      this.#answered();
      this.#take(request, answer.data);
    } else await this.#refused(request, answer);
  }

  #answered(): void {
    const { device, now } = this.#parts;
    this.#wasAnswered = true;
    if (device.recovery.answered(now)) Object.assign(device, device.stated);
  }

  /** The device refuses all of a request, though one item of it, or their number, may be the cause. */
  async #refused(request: PlannedRequest, answer: Answer): Promise<void> {
    const { device, now } = this.#parts;
    const fault = refusalOf(answer) ?? undecodable;
    this.#wasRefused = true;
    if (request.service === Service.READ_PROPERTY) {
      request.refused(fault, now);
      return this.#fill(request, fault);
    }
    if (answer.kind === Kind.REJECT && answer.reason === RejectReason.UNRECOGNIZED_SERVICE) {
      device.multiple = false;
      return this.#askAll(request.items.map((item) => new PlannedRequest([item], Service.READ_PROPERTY)));
    }
    const isTooMuch = answer.kind === Kind.ABORT && tooMuch.has(answer.reason);
    // The next passes search what is left.
    const isKnown = request.parts.length > 0;
    if (!isTooMuch && !isKnown && this.#searches <= 0) return this.#fill(request, fault);
    request.isTooLarge = isTooMuch;
    request.refused(fault, now);
    const parts = request.split();
    if (!isTooMuch && !isKnown) this.#searches -= parts.length;
    await this.#askAll(parts);
  }

  #take({ service, items }: PlannedRequest, data: Buffer): void {
    const { into } = this.#parts;
    const cursor = this.#cursor.begin(data);
    if (service !== Service.READ_PROPERTY) return this.#takeMany(cursor, items);
    const item = items[0]!;
    if (!openReadProperty(cursor, item)) into.fault(item.point, undecodable);
    else decodeEnclosed(cursor, 3, item.type, item.point, into);
  }

  /** Objects and properties come in the order in which they were asked for (15.7.1.2). */
  #takeMany(cursor: TagCursor, items: readonly Item[]): void {
    const { into } = this.#parts;
    let fits = true;
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as Item;
      const isFirst = items[at - 1]?.object !== item.object;
      const isLast = items[at + 1]?.object !== item.object;
      if (fits && isFirst) fits = cursor.context(0) && cursor.unsigned() === item.object && cursor.opening(1);
      if (fits) fits = readReference(cursor, 2, item);
      if (!fits) into.fault(item.point, undecodable);
      else if (cursor.isNextOpening(5)) fits = this.#takeError(cursor, item);
      else if (cursor.opening(4)) fits = decodeEnclosed(cursor, 4, item.type, item.point, into);
      else {
        fits = false;
        into.fault(item.point, undecodable);
      }
      if (fits && isLast) fits = cursor.closing(1);
    }
  }

  #takeError(cursor: TagCursor, { point }: Item): boolean {
    const { into } = this.#parts;
    cursor.next();
    const error = readError(cursor);
    into.fault(point, errorFault(error, false));
    return !Number.isNaN(error) && cursor.closing(5);
  }

  #fill({ items }: PlannedRequest, fault: Fault): void {
    const { into } = this.#parts;
    for (const { point } of items) into.fault(point, fault);
  }
}
