import { ErrorCode, type Call, type Fault, type Values } from '@tagway/sdk';
import { abortable, disconnected, malformed, type RequestQueue } from '@tagway/sdk/link';
import { decode } from './decode.ts';
import { noValue, readFault, readRefused, S7Error, valueTooShort } from './faults.ts';
import { requestsOf, type ItemRange, type Part, type PlannedRequest, type ReadPlan } from './plan.ts';
import { ItemCursor, itemDone, Job, type AnswerHeader } from './protocol.ts';
import type { PendingJob } from './session.ts';

/** Most refused items that one pass tries again. */
const mostRetried = 64;

/** Most jobs of one pass that look for what the PLC refuses. */
const mostSearches = 32;

/** Ranges whose halves are read by one job. */
const splitsPerJob = 8;

export interface ReadPassParts {
  readonly queue: RequestQueue<PendingJob>;
  readonly plan: ReadPlan;
  readonly into: Values;
  readonly call: Call;
  readonly pdu: number;
  readonly now: number;
  /** Number of the connection. */
  readonly generation: number;
}

const cursor = new ItemCursor();

/** One pass of reading the points of one group; the driver makes one for every call of `read`. */
export class ReadPass {
  readonly #parts: ReadPassParts;
  readonly #waiting = new Set<PendingJob>();
  /** Ranges that were refused, the last one first: each is taken apart until what is refused stands alone. */
  readonly #suspects: ItemRange[] = [];
  #round = Promise.withResolvers<void>();
  /** The link is gone. */
  #end: Fault | undefined;

  constructor(parts: ReadPassParts) {
    this.#parts = parts;
  }

  /** Gives every point a value or a fault, once. Rejects with DISCONNECTED when the link goes, or with the signal's reason. */
  async run(): Promise<void> {
    const { plan, pdu, call, into, now, generation } = this.#parts;
    call.signal.throwIfAborted();
    const requests = plan.begin(now, generation, pdu);
    const retried = plan.ranges.retry(now, mostRetried, ({ index }, reason) => into.fault(index, reason));
    await this.#ask(retried.length === 0 ? requests : [...requests, ...requestsOf(retried, pdu)]);
    await this.#search();
  }

  /** Takes refused ranges apart, so that what the PLC refuses costs no other point its value. */
  async #search(): Promise<void> {
    const { plan, pdu, now } = this.#parts;
    const sound = new Set<number>();
    if (this.#suspects.length > 0)
      for (const { area, refusal } of plan.ranges.ranges) if (refusal === undefined) sound.add(area);
    // A data block that does not exist is not searched for what exists in it.
    for (const range of this.#suspects.splice(0)) {
      if (range.refusal?.code !== S7Error.OBJECT_MISSING || sound.has(range.area)) this.#suspects.push(range);
      else {
        plan.ranges.refuseAll(range, range.refusal, now);
        this.#fill(range, range.refusal);
      }
    }
    for (let searches = 0; searches < mostSearches && this.#suspects.length > 0; searches++) {
      const halves: ItemRange[] = [];
      for (const range of this.#suspects.splice(-splitsPerJob)) {
        const fault = range.refusal ?? noValue;
        const both = plan.ranges.refuse(range, fault, now);
        if (both === undefined) this.#fill(range, fault);
        else halves.push(...both);
      }
      await this.#ask(requestsOf(halves, pdu));
    }
    // What is left is searched by the next passes.
    for (const range of this.#suspects) this.#fill(range, range.refusal ?? noValue);
  }

  /** Sends jobs and waits until each has its answer, or has failed. */
  async #ask(requests: readonly PlannedRequest[]): Promise<void> {
    const { call, queue } = this.#parts;
    this.#round = Promise.withResolvers<void>();
    for (const { parts } of requests) for (const { range } of parts) range.missing = 0;
    for (const { parts } of requests) {
      for (const { range } of parts) {
        range.missing++;
        range.refusal = undefined;
      }
    }
    for (const { packet, parts } of requests) {
      const job: PendingJob = {
        packet,
        answered: (header, data) => {
          this.#settle(job);
          return this.#take(parts, header, data);
        },
        failed: (fault) => {
          this.#settle(job);
          if (fault.code === ErrorCode.DISCONNECTED) this.#end ??= fault;
          this.#failAll(parts, fault);
        },
      };
      this.#waiting.add(job);
      if (queue.add(job)) continue;
      this.#waiting.delete(job);
      this.#end ??= disconnected;
    }
    if (this.#waiting.size > 0)
      await abortable(this.#round.promise, call.signal, () => queue.withdraw(this.#waiting));
    if (this.#end !== undefined) throw this.#end;
  }

  /** A job has its answer, or none. */
  #settle(job: PendingJob): void {
    this.#waiting.delete(job);
    if (this.#waiting.size === 0) this.#round.resolve();
  }

  /** False when the answer does not fit the job. */
  #take(parts: readonly Part[], header: AnswerHeader, data: Buffer): boolean {
    if (header.error !== 0) {
      this.#failAll(parts, readRefused(header.error));
      return true;
    }
    if (header.func !== Job.READ || header.items !== parts.length) {
      this.#failAll(parts, malformed);
      return false;
    }
    cursor.begin(header.data);
    let fits = true;
    for (const { range, offset, bytes } of parts) {
      if (!fits || !cursor.next(data, header.end)) this.#partDone(range, fits ? noValue : malformed, false);
      else if (cursor.code !== itemDone) this.#partDone(range, readFault(cursor.code), true);
      else if (cursor.size < 0) {
        fits = false;
        this.#partDone(range, malformed, false);
      } else if (cursor.size < bytes) this.#partDone(range, valueTooShort, false);
      else this.#partRead(range, offset, bytes, data);
    }
    return fits;
  }

  #partRead(range: ItemRange, offset: number, bytes: number, data: Buffer): void {
    const { into, plan, now } = this.#parts;
    range.missing--;
    if (range.whole !== undefined) data.copy(range.whole, offset, cursor.start, cursor.start + bytes);
    if (range.missing > 0 || range.refusal !== undefined) return;
    if (range.whole !== undefined) decode(range.decoding, range.whole, 0, into);
    else decode(range.decoding, data, cursor.start, into);
    plan.ranges.accept(range, now);
  }

  /** A part has no value. `refused`: the PLC has refused this part, and one point of it may be the cause. */
  #partDone(range: ItemRange, fault: Fault, refused: boolean): void {
    range.missing--;
    if (range.refusal !== undefined) return;
    range.refusal = fault;
    if (refused) this.#suspects.push(range);
    else this.#fill(range, fault);
  }

  #failAll(parts: readonly Part[], fault: Fault): void {
    for (const { range } of parts) this.#partDone(range, fault, false);
  }

  #fill({ items }: ItemRange, fault: Fault): void {
    const { into } = this.#parts;
    for (const { index } of items) into.fault(index, fault);
  }
}
