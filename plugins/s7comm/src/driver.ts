import type { Call, Context, Fault, Results, Values, Write } from '@tagway/sdk';
import { Link, LinkDriver, ReadPlans, RefusalMemory, RequestQueue, tcpClient } from '@tagway/sdk/link';
import { frames } from './frames.ts';
import { ReadPlan } from './plan.ts';
import { AnswerHeader, setReference } from './protocol.ts';
import { ReadPass } from './read.ts';
import { Session, type Agreement, type MessageSink, type PendingJob } from './session.ts';
import type { Settings } from './settings.ts';
import { planWrites, sendWrites } from './write.ts';

/** One run of a Siemens S7 node. */
export class S7Driver extends LinkDriver<Agreement, ReadPlan> implements MessageSink {
  protected readonly link: Link<Agreement>;
  protected readonly plans = new ReadPlans(
    (points, memory) => new ReadPlan(points, memory),
    () => new RefusalMemory<Fault>(),
  );
  readonly #context: Context<Settings>;
  readonly #queue: RequestQueue<PendingJob>;
  readonly #header = new AnswerHeader();

  constructor(context: Context<Settings>) {
    super();
    const { host, port, timeout } = context.settings;
    this.#context = context;
    const session = new Session(context.settings, this, (reason, kind) => this.link.lose(reason, kind));
    this.link = new Link(context, tcpClient({ host, port }, { timeout }), session, { timeout, frames });
    this.#queue = new RequestQueue<PendingJob>(this.link, {
      send: ({ packet }, reference) => {
        // A copy, because the socket may still hold the packet of the last time.
        const copy = Buffer.from(packet);
        setReference(copy, reference);
        this.link.send(copy);
      },
      timeout,
      ids: { first: 1, last: 0xffff },
    });
  }

  protected readPlan(plan: ReadPlan, into: Values, call: Call, { pdu }: Agreement): Promise<void> {
    const now = this.#context.clock.monotonic();
    const { generation } = this.link;
    return new ReadPass({ queue: this.#queue, plan, into, call, pdu, now, generation }).run();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    const { pdu } = this.link.requireSession();
    await sendWrites(planWrites(writes, pdu, into), this.#queue, into, signal);
  }

  // What the session calls.

  up({ jobs }: Agreement): void {
    this.#queue.window = jobs;
  }

  message(data: Buffer, at: number, end: number): void {
    const header = this.#header;
    if (!header.parse(data, at, end)) return this.#malformed();
    // A PLC may send messages of its own, which are no answers.
    if (!header.isAnswer) return this.#context.count('foreign_frames', 1);
    const job = this.#queue.take(header.reference);
    if (job === undefined) return;
    if (job.answered(header, data)) this.link.proven();
    else this.#malformed();
  }

  #malformed(): void {
    this.#context.count('malformed_frames', 1);
    this.link.lose('the PLC sent an answer that does not fit the request', 'malformed');
  }
}
