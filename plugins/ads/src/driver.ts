import type { BrowsePage, BrowseRequest, Call, Context, Fault, Results, Values, Write } from '@tagway/sdk';
import { LinkDriver, ReadPlans, RefusalMemory, type Link } from '@tagway/sdk/link';
import { Browser } from './browse.ts';
import { ReadPlan } from './plan.ts';
import { ReadPass } from './read.ts';
import { Session, type Agreement } from './session.ts';
import type { Settings } from './settings.ts';
import { Sums } from './sums.ts';
import { SymbolTable } from './symbols.ts';
import { testRead } from './test-read.ts';
import { Writer } from './write.ts';

/** One run of an ADS node: one controller, one AMS port. */
export class AdsDriver extends LinkDriver<Agreement, ReadPlan> {
  protected readonly link: Link<Agreement>;
  protected readonly plans: ReadPlans<ReadPlan, RefusalMemory<Fault>>;
  readonly #context: Context<Settings>;
  readonly #session: Session;
  readonly #sums: Sums;
  readonly #symbols: SymbolTable;
  readonly #writer: Writer;
  readonly #browser: Browser;

  constructor(context: Context<Settings>) {
    super();
    const { settings, clock } = context;
    this.#context = context;
    this.#session = new Session(context, settings);
    this.link = this.#session.link;
    this.plans = new ReadPlans(
      (points, memory) => new ReadPlan(points, settings.max_items, memory),
      () => new RefusalMemory<Fault>(),
    );
    this.#sums = new Sums(this.#session);
    this.#symbols = new SymbolTable(this.#session, this.#sums, clock);
    this.#writer = new Writer(this.#sums, this.#symbols, settings.max_items);
    this.#browser = new Browser(this.#session);
  }

  protected readPlan(plan: ReadPlan, into: Values, { cause, signal }: Call): Promise<void> {
    const options = { signal };
    if (cause === 'test') return testRead(plan, this.#session, into, options);
    const now = this.#context.clock.monotonic();
    return new ReadPass({ plan, sums: this.#sums, symbols: this.#symbols, into, options, now }).run();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    this.link.requireSession();
    await this.#writer.write(writes, into, { signal, urgent: true });
  }

  browse(request: BrowseRequest, { signal }: Call): Promise<BrowsePage> {
    return this.#browser.browse(request, { signal });
  }
}
