import { ErrorCode, isFault, type Call, type Fault, type Values } from '@tagway/sdk';
import { put, putFault, textOf } from './decode.ts';
import type { Answer, Exchange } from './exchange.ts';
import { noRow, readRefused, undecodable } from './faults.ts';
import { placeOf, type Item, type PlannedRequest, type ReadPlan } from './plan.ts';
import type { Row } from './rows.ts';
import type { Agent } from './session.ts';
import { Walk } from './walk.ts';
import { ErrorStatus, PduType, Varbinds } from './wire/pdu.ts';

/** Most requests of one pass that look for what the agent refuses. */
const mostSearches = 32;

export interface ReadPassParts {
  readonly exchange: Exchange;
  readonly agent: Agent;
  readonly plan: ReadPlan;
  readonly into: Values;
  readonly call: Call;
  readonly now: number;
}

/** One pass of reading the points of one group. */
export class ReadPass {
  readonly #parts: ReadPassParts;
  readonly #varbinds = new Varbinds();
  /** Items whose rows were found to be somewhere else. */
  readonly #moved: PlannedRequest[] = [];
  #searches = mostSearches;
  #wasAnswered = false;
  #wasRefused = false;

  constructor(parts: ReadPassParts) {
    this.#parts = parts;
  }

  /** Gives every point of the plan's requests a value or a fault. Rejects with DISCONNECTED when the link goes, or with the signal's reason. */
  async run(): Promise<void> {
    const { plan, agent, now, call } = this.#parts;
    await this.#locate();
    await this.#askAll(plan.requests(agent, now));
    if (this.#moved.length > 0) {
      await this.#locate();
      await this.#askAll(this.#moved.splice(0));
      for (const request of this.#moved) this.#fill(request, noRow);
    }
    if (this.#wasRefused && !this.#wasAnswered && call.cause !== 'test') agent.recovery.refused();
  }

  async #locate(): Promise<void> {
    const { plan, exchange, agent, call, now } = this.#parts;
    if (plan.rows.some((row) => row.isDue(now)))
      await plan.tables.locate(plan.rows, new Walk(exchange, agent, call.signal), now);
  }

  async #askAll(requests: readonly PlannedRequest[]): Promise<void> {
    const results = await Promise.allSettled(requests.map((request) => this.#ask(request)));
    for (const result of results) if (result.status === 'rejected') throw result.reason as Error;
  }

  async #ask(request: PlannedRequest): Promise<void> {
    const { exchange, call, now } = this.#parts;
    const lost = request.rows.find(({ fault }) => fault !== undefined);
    if (lost !== undefined) return this.#askWithout(request);
    if (!request.due(now)) {
      if (request.parts.length > 0) return this.#askAll(request.parts);
      return this.#fill(request, request.refusal ?? undecodable);
    }
    const question = { type: PduType.GET, varbinds: request.varbinds() };
    const answer = await exchange.ask(question, call.signal);
    if (isFault(answer)) return this.#unanswered(request, answer);
    if (answer.status !== ErrorStatus.NONE) return this.#refused(request, answer);
    request.accepted();
    this.#answered();
    this.#take(request, answer);
  }

  /** Asks for the items of a request whose rows are known; the others get the reason why theirs are not. */
  async #askWithout(request: PlannedRequest): Promise<void> {
    const { into } = this.#parts;
    for (const { row, targets } of request.items)
      if (row?.fault !== undefined) putFault(targets, row.fault, into);
    const rest = request.items.filter(({ row }) => row?.fault === undefined);
    if (rest.length > 0) await this.#ask(request.only(rest));
  }

  #answered(): void {
    const { agent, now } = this.#parts;
    this.#wasAnswered = true;
    agent.recovery.answered(now);
  }

  /** An agent that answers other requests may drop one that is too large for it, so a smaller one is tried in the next passes. */
  #unanswered(request: PlannedRequest, fault: Fault): void {
    const { now } = this.#parts;
    this.#fill(request, fault);
    if (fault.code !== ErrorCode.NO_RESPONSE || request.items.length === 1) return;
    request.refused(fault, now);
    request.split(-1);
  }

  /** The agent refuses all of a request, though one item of it, or their number, may be the cause. */
  async #refused(request: PlannedRequest, { status, index }: Answer): Promise<void> {
    const { now } = this.#parts;
    const fault = readRefused(status);
    const { items, rows } = request;
    const isTooBig = status === ErrorStatus.TOO_BIG;
    if (!isTooBig) this.#wasRefused = true;
    // What was to be a row is not there any more.
    const row = index > 0 && index <= rows.length ? rows[index - 1] : undefined;
    if (row !== undefined && !isTooBig) return this.#rowMoved(request, row);
    if (items.length === 1) {
      request.refused(fault, now);
      return this.#fill(request, fault);
    }
    // The next passes search what is left.
    const isKnown = request.parts.length > 0;
    if (!isTooBig && !isKnown && this.#searches <= 0) return this.#fill(request, fault);
    request.refused(fault, now);
    const cause = isTooBig ? -1 : causeOf(index - rows.length, items);
    if (!isTooBig && !isKnown) this.#searches--;
    const parts = request.split(cause);
    // The item that the agent names is not asked for again in this pass.
    const named = cause >= 0 && !isKnown ? parts[1] : undefined;
    if (named !== undefined) {
      named.refused(fault, now);
      this.#fill(named, fault);
    }
    await this.#askAll(parts.filter((part) => part !== named));
  }

  #take(request: PlannedRequest, answer: Answer): void {
    const { into } = this.#parts;
    const { items, rows } = request;
    const varbinds = this.#varbinds.begin(answer.varbinds);
    let moved: Set<Row> | undefined;
    let fits = true;
    for (const row of rows) {
      fits &&= varbinds.next() && varbinds.is(row.place(row.column));
      if (!fits || textOf(varbinds.value, row.syntax) === row.value) continue;
      moved ??= new Set();
      moved.add(row);
    }
    for (const item of items) {
      fits &&= varbinds.next() && varbinds.is(placeOf(item));
      if (!fits) putFault(item.targets, undecodable, into);
      else if (item.row === undefined || moved?.has(item.row) !== true)
        for (const target of item.targets) put(varbinds.value, target, into);
    }
    if (moved !== undefined && fits) this.#allMoved(request, moved);
  }

  #rowMoved(request: PlannedRequest, row: Row): Promise<void> | void {
    const rest = request.items.filter((item) => item.row !== row);
    this.#allMoved(request, new Set([row]));
    if (rest.length > 0) return this.#ask(request.only(rest));
  }

  #allMoved(request: PlannedRequest, moved: ReadonlySet<Row>): void {
    for (const row of moved) row.moved();
    const items = request.items.filter(({ row }) => row !== undefined && moved.has(row));
    this.#moved.push(request.only(items));
  }

  #fill({ items }: PlannedRequest, fault: Fault): void {
    for (const { targets } of items) putFault(targets, fault, this.#parts.into);
  }
}

/** The item that the agent names, -1 when it names none. */
function causeOf(index: number, items: readonly Item[]): number {
  return index >= 1 && index <= items.length ? index - 1 : -1;
}
