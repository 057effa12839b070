import { ErrorCode, isFault, type Fault, type Values } from '@tagway/sdk';
import { malformed, type AskOptions } from '@tagway/sdk/link';
import { ReplyCursor, requestOf, Service, type Reply } from './cip.ts';
import { decode } from './decode.ts';
import { codeOf, endless, isChanging, isTemporary, readRefused, Status } from './faults.ts';
import type { Findings } from './findings.ts';
import type { PlannedRequest, ReadPlan } from './plan.ts';
import type { Program } from './program.ts';
import type { Read } from './reads.ts';
import type { Session } from './session.ts';
import { elementaryOf, structureMark, type Variable } from './types.ts';

/** Most requests of one pass that look for what the controller refuses. */
const mostSearches = 32;

/** Handle of the structure STRING of Logix, and how many characters it has. */
const logixString = { handle: 0x0fce, characters: 82 };

/** Most times that one pass begins anew, because requests have to be made in another way. */
const mostRounds = 6;

export interface ReadPassParts {
  readonly plan: ReadPlan;
  readonly session: Session;
  readonly program: Program;
  readonly findings: Findings;
  readonly into: Values;
  readonly options: AskOptions;
  readonly now: number;
}

/** What came of asking for everything once. */
type Outcome = 'done' | 'other requests' | 'other program';

const cursor = new ReplyCursor();

/** One pass of reading the points of one group. */
export class ReadPass {
  readonly #parts: ReadPassParts;
  readonly #reads: Read[] = [];
  /** Those of points that were refused before. */
  #retried: ReadonlySet<Read> = new Set();
  #searches = 0;

  constructor(parts: ReadPassParts) {
    this.#parts = parts;
  }

  /**
   * Gives every point a value or a fault, once. Nothing is stored before all replies are there and the program is seen to be the same, so
   * that a program that has changed is asked once more. Rejects as `Driver.read` does.
   */
  async run(): Promise<void> {
    const { findings, into, now, options, plan, program, session } = this.#parts;
    let hasChanged = false;
    for (let round = 0; round < mostRounds; round++) {
      await plan.prepare(program, options);
      const { epoch } = program;
      plan.memory.begin(now, epoch);
      findings.begin(epoch);
      const { requests, faulty, refused } = plan.compile(program, session.limit);
      const retried = refused.filter(({ place }) => plan.memory.tries(place, now));
      const more = retried.length === 0 ? undefined : plan.requestsFor(retried, program, session.limit);
      this.#retried = new Set(more?.requests.flatMap(({ reads }) => reads));
      let outcome = await this.#ask(more === undefined ? requests : [...requests, ...more.requests]);
      const hasReplies = this.#reads.some(({ data, isRefused }) => isRefused || data !== undefined);
      if (outcome === 'done' && hasReplies && !(await program.verify(options))) outcome = 'other program';
      if (outcome === 'other requests') continue;
      if (outcome === 'other program') {
        program.renew();
        if (hasChanged) return this.#failAll(isChanging);
        hasChanged = true;
        continue;
      }
      for (const { index, fault } of faulty) into.fault(index, fault);
      if (more !== undefined) for (const { index, fault } of more.faulty) into.fault(index, fault);
      for (const item of refused) {
        const reason = retried.includes(item) ? undefined : plan.memory.reasonOf(item.place);
        if (reason !== undefined) into.fault(item.index, reason);
      }
      for (const read of this.#reads) this.#store(read);
      return;
    }
    this.#failAll(isChanging);
  }

  /** Asks for everything once. The replies stay with the reads. */
  async #ask(requests: readonly PlannedRequest[]): Promise<Outcome> {
    const { plan, session } = this.#parts;
    this.#reads.length = 0;
    const outcomes = await Promise.all(requests.map((request) => this.#askOne(request)));
    const bad = outcomes.find((outcome) => outcome !== 'done');
    if (bad !== undefined) return bad;
    // What was refused is taken apart until what the controller refuses stands alone.
    const suspects = this.#reads.filter(({ fault, split }) => fault !== undefined && split !== undefined);
    while (suspects.length > 0 && this.#searches < mostSearches) {
      const suspect = suspects.pop()!;
      const parts = suspect.split?.() ?? [];
      if (isFault(suspect.fault) && suspect.fault.code === ErrorCode.NO_RESPONSE) continue;
      this.#parts.findings.takeApart(suspect.structure);
      this.#reads.splice(this.#reads.indexOf(suspect), 1);
      for (const request of plan.pack(parts, session.limit)) {
        this.#searches++;
        const outcome = await this.#askOne(request);
        if (outcome !== 'done') return outcome;
        for (const read of request.reads)
          if (read.fault !== undefined && read.split !== undefined) suspects.push(read);
      }
    }
    return 'done';
  }

  async #askOne({ message, reads }: PlannedRequest): Promise<Outcome> {
    const { findings, options, session } = this.#parts;
    for (const read of reads) {
      read.data = undefined;
      read.fault = undefined;
      read.isRefused = false;
    }
    let reply: Reply;
    try {
      reply = await session.ask(message, options);
    } catch (error) {
      if (!isFault(error) || error.code === ErrorCode.DISCONNECTED) throw error;
      for (const read of reads) read.fault = error;
      this.#reads.push(...reads);
      return 'done';
    }
    if (reads.length > 1) {
      if (reply.status === Status.NO_SERVICE) {
        findings.withoutPackets();
        return 'other requests';
      }
      if (isTooLarge(reply.status) && session.shrink()) return 'other requests';
    }
    this.#reads.push(...reads);
    return this.#take(reads, reply);
  }

  /** Takes the reply to one read or to a packet of them. */
  async #take(reads: readonly Read[], reply: Reply): Promise<Outcome> {
    const { session } = this.#parts;
    const unfinished: Read[] = [];
    let outcome: Outcome = 'done';
    if (reads.length === 1) {
      const data = cursor.single(reply);
      outcome = this.#takeOne(reads[0]!, data, unfinished);
    } else if (reply.status !== Status.OK && reply.status !== Status.EMBEDDED) {
      const fault = readRefused(codeOf(reply));
      for (const read of reads) read.fault = fault;
      return 'done';
    } else {
      if (!cursor.begin(reply.data, reads.length)) session.misfit();
      for (const read of reads) {
        if (!cursor.next() || cursor.service !== Service.READ) session.misfit();
        const one = this.#takeOne(read, reply.data, unfinished);
        if (one !== 'done') outcome = one;
      }
    }
    for (const read of unfinished) {
      const finished = await this.#finish(read);
      if (finished !== 'done') outcome = finished;
    }
    return outcome;
  }

  /** Takes one reply, at which the cursor is. */
  #takeOne(read: Read, data: Buffer, unfinished: Read[]): Outcome {
    const { program } = this.#parts;
    const { end, start, status } = cursor;
    if (status !== Status.OK && status !== Status.PARTIAL && !isTooLarge(status)) {
      const isByNumber = read.path[0] === 0x20;
      if (status === Status.NO_SERVICE && isByNumber) {
        program.useNames();
        return 'other requests';
      }
      read.fault = readRefused(codeOf(cursor));
      read.isRefused = !isTemporary(cursor);
      return 'done';
    }
    const isUnfinished = status !== Status.OK;
    if (isUnfinished) unfinished.push(read);
    if (isTooLarge(status) || (isUnfinished && end === start)) return 'done';
    const value = this.#valueOf(read, data, start, end);
    if (value === undefined) return read.fault === undefined ? 'other program' : 'done';
    read.data = value;
    return 'done';
  }

  /** The bytes of a value behind its type. Undefined: the type is another one than the program has, or there is none. */
  #valueOf(read: Read, data: Buffer, start: number, end: number): Buffer | undefined {
    if (end - start < 2) return void (read.fault = malformed);
    const mark = data.readUInt16LE(start);
    const isStructure = mark === structureMark;
    const from = start + (isStructure ? 4 : 2);
    if (from > end) return void (read.fault = malformed);
    const handle = isStructure ? data.readUInt16LE(start + 2) : 0;
    if (read.isKnown && (isStructure ? handle !== read.handle : mark !== read.variable.code))
      return undefined;
    read.code = isStructure ? handle | 0x1_0000 : mark;
    return data.subarray(from, end);
  }

  /** Reads the rest of a value that is larger than a message. */
  async #finish(read: Read): Promise<Outcome> {
    const { options, session } = this.#parts;
    const pieces: Buffer[] = read.data === undefined ? [] : [read.data];
    let got = read.data?.length ?? 0;
    read.data = undefined;
    for (;;) {
      const data = Buffer.alloc(6);
      data.writeUInt16LE(read.elements, 0);
      data.writeUInt32LE(got, 2);
      const reply = await session.ask(requestOf(Service.READ_FRAGMENT, read.path, data), options);
      if (reply.status !== Status.OK && reply.status !== Status.PARTIAL) {
        read.fault = readRefused(codeOf(reply));
        read.isRefused = !isTemporary(reply);
        return 'done';
      }
      const piece = this.#valueOf(read, reply.data, 0, reply.data.length);
      if (piece === undefined) return read.fault === undefined ? 'other program' : 'done';
      pieces.push(piece);
      got += piece.length;
      if (reply.status === Status.OK) break;
      if (piece.length === 0) {
        read.fault = endless;
        return 'done';
      }
      if (got > mostBytes) session.misfit();
    }
    read.data = Buffer.concat(pieces);
    return 'done';
  }

  #store(read: Read): void {
    const { into, now, plan } = this.#parts;
    const { data, fault, uses } = read;
    if (fault !== undefined || data === undefined) {
      const reason = fault ?? malformed;
      for (const { index, place } of uses) {
        if (read.isRefused && read.split === undefined) plan.memory.refuse(place, reason, now);
        into.fault(index, reason);
      }
      return;
    }
    if (this.#retried.has(read)) for (const { place } of uses) plan.memory.accept(place);
    else plan.memory.accept(uses[0]!.place);
    const decoding = read.decodingOf(variableOf(read, data), data.length);
    for (const one of read.faults) into.fault(one.index, one.fault);
    decode(decoding, data, into);
  }

  #failAll(fault: Fault): void {
    const { into, plan } = this.#parts;
    for (const index of plan.indices) into.fault(index, fault);
  }
}

/** No value of a controller is larger. */
const mostBytes = 1 << 24;

/** What was answered of a variable: what the program says, or without it what the reply says. */
export function variableOf({ code, isKnown, variable }: Read, data: Buffer): Variable {
  if (isKnown) return variable;
  if (code < 0x1_0000) return elementaryOf(code, data.length);
  const isText = (code & 0xffff) === logixString.handle;
  const characters = isText ? logixString.characters : -1;
  return { code: 0, size: data.length, name: isText ? 'STRING' : 'structure', characters };
}

/** A reply that did not fit, so that the value is read in parts. */
function isTooLarge(status: number): boolean {
  return status === Status.REPLY_TOO_LARGE || status === Status.REPLY_NOT_ROUTED;
}
