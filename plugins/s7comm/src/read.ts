import type { Call, Fault, Values } from '@tagway/sdk';
import { ErrorCode } from '@tagway/sdk';
import {
  disconnected,
  malformed,
  type RefusalMemory,
  type Request,
  type RequestQueue,
} from '@tagway/sdk/link';
import { decode } from './decode.ts';
import { noValue, readFault, readRefused, S7Error, valueTooShort } from './faults.ts';
import { requestsOf, type PlannedRequest, type ReadPlan, type ReadRange } from './plan.ts';
import { ItemCursor, itemDone, Job, mostReadBytes, type AnswerHeader } from './protocol.ts';

/** A job that waits for its answer. */
export interface S7Job extends Request {
  readonly packet: Buffer;
  /** Takes the answer; false when it does not fit the job. The bytes are valid during the call only. */
  answered(header: AnswerHeader, data: Buffer): boolean;
}

/** Most jobs of one reading that look for what the PLC refuses. */
const mostSearches = 32;

/** Ranges whose halves are read by one job. */
const splitsPerJob = 8;

export interface ReadingParts {
  readonly queue: RequestQueue<S7Job>;
  readonly memory: RefusalMemory<Fault>;
  readonly plan: ReadPlan;
  readonly into: Values;
  readonly call: Call;
  readonly pdu: number;
  readonly now: number;
}

const cursor = new ItemCursor();

/** One reading of one plan; the driver makes one for every call of `read`. */
export class Reading {
  readonly #parts: ReadingParts;
  readonly #waiting = new Set<S7Job>();
  /** Ranges that were refused, the last one first: each is taken apart until what is refused stands alone. */
  readonly #suspects: ReadRange[] = [];
  #round = Promise.withResolvers<void>();
  /** The link is gone, or the call was aborted. */
  #end: Error | undefined;

  constructor(parts: ReadingParts) {
    this.#parts = parts;
  }

  /** Gives every point a value or a fault, once. Rejects with DISCONNECTED when the link goes, or with the signal's reason. */
  async run(): Promise<void> {
    const { plan, pdu, call, into, memory, now } = this.#parts;
    for (const { index, fault } of plan.invalid) into.fault(index, fault);
    call.signal.throwIfAborted();
    call.signal.addEventListener('abort', this.#abort);
    try {
      const retried = plan.retried(now);
      const tried = new Set(retried.map(({ items }) => items[0]));
      for (const item of plan.refused) {
        const reason = tried.has(item) ? undefined : memory.reasonOf(item);
        if (reason !== undefined) into.fault(item.index, reason);
      }
      await this.#ask(retried.length === 0 ? plan.requests : [...plan.requests, ...requestsOf(retried, pdu)]);
      await this.#search();
    } finally {
      call.signal.removeEventListener('abort', this.#abort);
    }
  }

  /** Takes refused ranges apart, so that a place that the PLC refuses costs no other its value. */
  async #search(): Promise<void> {
    const { plan, pdu } = this.#parts;
    const sound = new Set<number>();
    if (this.#suspects.length > 0)
      for (const { area, refusal } of plan.ranges) if (refusal === undefined) sound.add(area);
    // A data block that does not exist is not searched for what exists in it.
    for (const range of this.#suspects.splice(0)) {
      if (range.refusal?.code === S7Error.OBJECT_MISSING && !sound.has(range.area)) this.#refuse(range);
      else this.#suspects.push(range);
    }
    for (let searches = 0; searches < mostSearches && this.#suspects.length > 0; searches++) {
      const halves: ReadRange[] = [];
      for (const range of this.#suspects.splice(-splitsPerJob)) {
        const both = range.halves(mostReadBytes(pdu));
        if (both === undefined) this.#refuse(range);
        else halves.push(...both);
      }
      await this.#ask(requestsOf(halves, pdu));
    }
    // What is left is searched by the next readings.
    for (const range of this.#suspects) this.#fill(range, range.refusal ?? noValue);
  }

  /** Sends jobs and waits until each has its answer, or has failed. */
  async #ask(requests: readonly PlannedRequest[]): Promise<void> {
    const { queue } = this.#parts;
    this.#round = Promise.withResolvers<void>();
    for (const request of requests) for (const { range } of request.parts) range.missing = 0;
    for (const request of requests) {
      for (const { range } of request.parts) {
        range.missing++;
        range.refusal = undefined;
      }
    }
    for (const request of requests) {
      const job = new ReadJob(request, this);
      this.#waiting.add(job);
      if (queue.add(job)) continue;
      this.#waiting.delete(job);
      this.#end ??= disconnected;
    }
    if (this.#waiting.size > 0) await this.#round.promise;
    if (this.#end !== undefined) throw this.#end;
  }

  /** A job has its answer, or none; false when the answer does not fit the job. */
  settle(job: ReadJob, header?: AnswerHeader, data?: Buffer, failure?: Fault): boolean {
    this.#waiting.delete(job);
    if (failure?.code === ErrorCode.DISCONNECTED) this.#end ??= failure;
    let fits = true;
    if (failure !== undefined) this.#failAll(job, failure);
    else if (header !== undefined && data !== undefined) fits = this.#take(job, header, data);
    if (this.#waiting.size === 0) this.#round.resolve();
    return fits;
  }

  #take(job: ReadJob, header: AnswerHeader, data: Buffer): boolean {
    const { parts } = job.request;
    if (header.error !== 0) {
      this.#failAll(job, readRefused(header.error));
      return true;
    }
    if (header.func !== Job.READ || header.items !== parts.length) {
      this.#failAll(job, malformed);
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

  #partRead(range: ReadRange, offset: number, bytes: number, data: Buffer): void {
    const { into, memory, now } = this.#parts;
    range.missing--;
    if (range.whole !== undefined) data.copy(range.whole, offset, cursor.start, cursor.start + bytes);
    if (range.missing > 0 || range.refusal !== undefined) return;
    if (range.whole !== undefined) decode(range.decoding, range.whole, 0, into);
    else decode(range.decoding, data, cursor.start, into);
    memory.accept(range.items[0] ?? range);
    const { split } = range;
    if (split === undefined || --split.left > 0 || split.refused) return;
    memory.cut(split.boundary, now);
  }

  /** A part has no value. `refused`: the PLC said so of this part, and one place of it may be the cause. */
  #partDone(range: ReadRange, fault: Fault, refused: boolean): void {
    range.missing--;
    if (range.split !== undefined) range.split.refused = true;
    if (range.refusal !== undefined) return;
    range.refusal = fault;
    if (refused) this.#suspects.push(range);
    else this.#fill(range, fault);
  }

  #failAll({ request }: ReadJob, fault: Fault): void {
    for (const { range } of request.parts) this.#partDone(range, fault, false);
  }

  /** The PLC refuses all of a range, or what stands alone in it. */
  #refuse(range: ReadRange): void {
    const { memory, now } = this.#parts;
    const fault = range.refusal ?? noValue;
    for (const item of range.items) memory.refuse(item, fault, now);
    this.#fill(range, fault);
  }

  #fill({ items }: ReadRange, fault: Fault): void {
    const { into } = this.#parts;
    for (const { index } of items) into.fault(index, fault);
  }

  readonly #abort = (): void => {
    this.#end ??= this.#parts.call.signal.reason as Error;
    this.#parts.queue.withdraw(this.#waiting);
    this.#waiting.clear();
    this.#round.resolve();
  };
}

/** One job of one reading. */
class ReadJob implements S7Job {
  readonly request: PlannedRequest;
  readonly #reading: Reading;

  constructor(request: PlannedRequest, reading: Reading) {
    this.request = request;
    this.#reading = reading;
  }

  get packet(): Buffer {
    return this.request.packet;
  }

  answered(header: AnswerHeader, data: Buffer): boolean {
    return this.#reading.settle(this, header, data);
  }

  failed(fault: Fault): void {
    this.#reading.settle(this, undefined, undefined, fault);
  }
}
