import type { BrowsePage, BrowseRequest, Call, Context, Fault, Results, Values, Write } from '@tagway/sdk';
import { LinkDriver, ReadPlans, RefusalMemory, type Link } from '@tagway/sdk/link';
import { Browser } from './browse.ts';
import { Findings } from './findings.ts';
import { Family, type Agreement } from './opening.ts';
import { listMembers } from './members.ts';
import { ReadPlan } from './plan.ts';
import { Program } from './program.ts';
import { ReadPass } from './read.ts';
import { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { listVariables } from './variables.ts';
import { Writer } from './write.ts';

/** One run of an EtherNet/IP node: one controller. */
export class EtherNetIpDriver extends LinkDriver<Agreement, ReadPlan> {
  protected readonly link: Link<Agreement>;
  protected readonly plans: ReadPlans<ReadPlan, RefusalMemory<Fault>>;
  readonly #context: Context<Settings>;
  readonly #session: Session;
  readonly #program: Program;
  readonly #findings = new Findings();
  readonly #writer: Writer;
  readonly #browser: Browser;

  constructor(context: Context<Settings>) {
    super();
    const { clock, settings } = context;
    this.#context = context;
    this.#session = new Session(context, settings, (scope, instance) =>
      this.#program.nameOf(scope, instance),
    );
    this.link = this.#session.link;
    this.plans = new ReadPlans(
      (points, memory) => new ReadPlan(points, this.#findings, memory),
      () => new RefusalMemory<Fault>(),
    );
    this.#program = new Program(this.#session, clock, settings.tag_list);
    this.#writer = new Writer(this.#session, this.#program, this.#findings);
    this.#browser = new Browser(this.#program);
  }

  protected readPlan(plan: ReadPlan, into: Values, { signal }: Call): Promise<void> {
    const now = this.#context.clock.monotonic();
    return new ReadPass({
      plan,
      session: this.#session,
      program: this.#program,
      findings: this.#findings,
      into,
      options: { signal },
      now,
    }).run();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    this.link.requireSession();
    await this.#writer.write(writes, into, { signal, urgent: true });
  }

  async browse(request: BrowseRequest, { signal }: Call): Promise<BrowsePage> {
    const { family } = this.link.requireSession();
    if (family !== Family.OMRON) return this.#browser.browse(request, { signal });
    const cursor = Number(request.cursor ?? 0);
    const start = Number.isInteger(cursor) && cursor > 0 ? cursor : 0;
    if (request.id === '') return listVariables(this.#session, Math.max(1, start), { signal });
    return listMembers(this.#session, request.id, start, { signal });
  }
}
