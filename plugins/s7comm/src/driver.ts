import type { Call, Context, Driver, Fault, Point, Results, Values, Write } from '@tagway/sdk';
import { disconnected, Link, RefusalMemory, RequestQueue, tcpClient } from '@tagway/sdk/link';
import { ReadPlan } from './plan.ts';
import { AnswerHeader, setReference } from './protocol.ts';
import { Reading, type S7Job } from './read.ts';
import { S7Session, type MessageSink, type Session } from './session.ts';
import type { Settings } from './settings.ts';
import { planWrites, sendWrites } from './write.ts';

/** One run of a Siemens S7 node. */
export class S7Driver implements Driver, MessageSink {
  readonly #context: Context<Settings>;
  readonly #link: Link<Session>;
  readonly #queue: RequestQueue<S7Job>;
  readonly #memory = new RefusalMemory<Fault>();
  readonly #plans = new WeakMap<readonly Point[], ReadPlan>();
  readonly #header = new AnswerHeader();

  constructor(context: Context<Settings>) {
    const { host, port, timeout } = context.settings;
    this.#context = context;
    const session = new S7Session(context.settings, this, (reason, kind) => this.#link.lose(reason, kind));
    this.#link = new Link(context, tcpClient({ host, port }, { timeout }), session, { timeout });
    this.#queue = new RequestQueue<S7Job>(this.#link, {
      send: ({ packet }, reference) => {
        // A copy, because the socket may still hold the packet of the last time.
        const copy = Buffer.from(packet);
        setReference(copy, reference);
        this.#link.send(copy);
      },
      timeout,
      ids: { first: 1, last: 0xffff },
    });
  }

  start(): Promise<void> {
    return this.#link.open();
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#link.close(signal);
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const { session, generation } = this.#link;
    if (session === undefined) throw disconnected;
    const isTest = call.cause === 'test';
    // A test read must not change what production remembers.
    const memory = isTest ? new RefusalMemory<Fault>() : this.#memory;
    const plan = isTest ? new ReadPlan(points, memory) : this.#planOf(points);
    const { pdu } = session;
    const now = this.#context.clock.monotonic();
    plan.begin(now, generation, pdu);
    await new Reading({ queue: this.#queue, memory, plan, into, call, pdu, now }).run();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    const { session } = this.#link;
    if (session === undefined) throw disconnected;
    await sendWrites(planWrites(writes, session.pdu, into), this.#queue, into, signal);
  }

  // What the session tells.

  up({ jobs }: Session): void {
    this.#queue.window = jobs;
  }

  message(data: Buffer, at: number, end: number): void {
    const header = this.#header;
    if (!header.parse(data, at, end)) return this.#malformed();
    // A PLC may send messages of its own, which nobody has asked for here.
    if (!header.isAnswer) return this.#context.count('foreign_frames', 1);
    const job = this.#queue.take(header.reference);
    if (job === undefined) return;
    if (job.answered(header, data)) this.#link.proven();
    else this.#malformed();
  }

  #malformed(): void {
    this.#context.count('malformed_frames', 1);
    this.#link.lose('the PLC sent an answer that does not fit the request', 'malformed');
  }

  #planOf(points: readonly Point[]): ReadPlan {
    const known = this.#plans.get(points) ?? new ReadPlan(points, this.#memory);
    this.#plans.set(points, known);
    return known;
  }
}
