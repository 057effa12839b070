import { isFault, type Call, type Fault, type Values } from '@tagway/sdk';
import { decodeEnclosed } from './decode.ts';
import { TagCursor } from './encoding.ts';
import { isDown, refusalOf, type Answer, type Exchange } from './exchange.ts';
import { AbortReason, errorFault, RejectReason, undecodable } from './faults.ts';
import { PlannedRequest, type Item, type ReadPlan } from './plan.ts';
import { Kind, Service } from './protocol.ts';
import { openReadProperty, readError, readReference } from './services.ts';
import type { Session } from './session.ts';

/** Most requests of one reading that look for what the device refuses. */
const mostSearches = 32;

/** By these a device says that the answer is too large, not that something is wrong with an item. */
const tooMuch: ReadonlySet<number> = new Set(Object.values(AbortReason));

export interface ReadingParts {
  readonly exchange: Exchange;
  readonly session: Session;
  readonly plan: ReadPlan;
  readonly into: Values;
  readonly call: Call;
  readonly now: number;
}

/** One reading of one plan. */
export class Reading {
  readonly #parts: ReadingParts;
  readonly #cursor = new TagCursor();
  #searches = mostSearches;

  constructor(parts: ReadingParts) {
    this.#parts = parts;
  }

  /** Gives every point a value or a fault, once. Rejects with DISCONNECTED when the link goes, or with the signal's reason. */
  async run(): Promise<void> {
    const { plan, session, into } = this.#parts;
    for (const { point, fault } of plan.invalid) into.fault(point, fault);
    await this.#askAll(plan.requests(session));
  }

  async #askAll(requests: readonly PlannedRequest[]): Promise<void> {
    const results = await Promise.allSettled(requests.map((request) => this.#ask(request)));
    for (const result of results) if (result.status === 'rejected') throw result.reason as Error;
  }

  async #ask(request: PlannedRequest): Promise<void> {
    const { exchange, call, now } = this.#parts;
    if (!request.due(now)) return this.#fill(request, request.refusal ?? undecodable);
    let answer: Answer;
    try {
      answer = await exchange.ask(request.service, request.body, call.signal);
    } catch (error) {
      if (!isFault(error) || isDown(error)) throw error;
      return this.#fill(request, error);
    }
    if (answer.kind === Kind.COMPLEX_ACK) {
      request.refusal = undefined;
      this.#take(request, answer.data);
    } else await this.#refused(request, answer);
  }

  /** The device refuses all of a request, though one item of it, or their number, may be the cause. */
  async #refused(request: PlannedRequest, answer: Answer): Promise<void> {
    const { plan, session, now } = this.#parts;
    const fault = refusalOf(answer) ?? undecodable;
    if (request.service === Service.READ_PROPERTY) {
      request.refused(fault, now);
      return this.#fill(request, fault);
    }
    if (answer.kind === Kind.REJECT && answer.reason === RejectReason.UNRECOGNIZED_SERVICE) {
      session.multiple = false;
      return this.#askAll(request.items.map((item) => new PlannedRequest([item], Service.READ_PROPERTY)));
    }
    const isTooMuch = answer.kind === Kind.ABORT && tooMuch.has(answer.reason);
    // What is left is searched by the next readings.
    if (!isTooMuch && this.#searches <= 0) return this.#fill(request, fault);
    const parts = plan.split(request);
    if (!isTooMuch) this.#searches -= parts.length;
    await this.#askAll(parts);
  }

  #take({ service, items }: PlannedRequest, data: Buffer): void {
    const cursor = this.#cursor.begin(data);
    if (service === Service.READ_PROPERTY) this.#takeOne(cursor, items[0] as Item);
    else this.#takeMany(cursor, items);
  }

  #takeOne(cursor: TagCursor, item: Item): void {
    const { into } = this.#parts;
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
