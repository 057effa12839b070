import type { Call, Context, Values } from '@tagway/sdk';
import { Bus, LinkDriver, ReadPlans, SilenceClock, type Link } from '@tagway/sdk/link';
import { wireOf } from '@tagway/serial';
import { meterOf } from './address.ts';
import { Meters, type Datum } from './meter.ts';
import { compilePlan, type ReadPlan } from './plan.ts';
import { ReadPass } from './read.ts';
import { ReadRequest, type Item } from './read-request.ts';
import { Reply } from './reply.ts';
import type { Settings } from './settings.ts';

/** Pauses of a meter that did not answer in two rounds in a row, in milliseconds. */
const silencePauses = { first: 5000, most: 60_000, forgiven: 1 };

/** Timeouts without any answer after which a connection is given up on which all meters are silent. */
const silentTimeouts = 3;

/** One run of a DL/T645 node. */
export class Dlt645Driver extends LinkDriver<void, ReadPlan> {
  protected readonly link: Link;
  protected readonly plans: ReadPlans<ReadPlan, Meters>;
  readonly #context: Context<Settings>;
  readonly #bus: Bus<ReadRequest>;
  readonly #reply: Reply;
  readonly #silence = new SilenceClock<string>(silencePauses);

  constructor(context: Context<Settings>) {
    super();
    const { settings } = context;
    this.#context = context;
    // The driver decides when silence ends the connection.
    const listing = { context, protocol: 'DL/T645' };
    this.#bus = new Bus(context, wireOf(context.node, settings, settings.interval, listing), {
      timeout: settings.timeout,
      silence: Infinity,
    });
    this.link = this.#bus.link;
    this.#reply = new Reply(() => context.count('foreign_frames', 1));
    this.plans = new ReadPlans(
      (points, meters) =>
        compilePlan(points, meters, meterOf(settings.mail_address), (datum, items) =>
          this.#requestOf(datum, items),
        ),
      () => new Meters(),
    );
    this.link.observe({ up: () => this.#silence.expire(), down: () => undefined });
  }

  override stop(signal: AbortSignal): Promise<void> {
    return this.#bus.close(signal);
  }

  protected async readPlan(plan: ReadPlan, into: Values, call: Call): Promise<void> {
    const isTest = call.cause === 'test';
    const { link } = this;
    const { clock, settings } = this.#context;
    // A test read asks meters that production leaves alone, and is forgotten.
    const silence = isTest ? new SilenceClock<string>(silencePauses) : this.#silence;
    const pass = new ReadPass({ bus: this.#bus, clock, silence, retries: settings.max_retries }, into, call);
    plan.known.refusals.begin(clock.monotonic(), link.generation);
    await pass.run(plan);
    if (isTest || !pass.isSilent || !this.#isQuiet) return;
    // Meters that answer may be read more rarely than those that are silent.
    const { answered } = plan.known;
    if (answered !== undefined) await pass.ask(this.#requestOf(answered, []), 1 + settings.max_retries);
    if (this.#isQuiet) link.silent(`no meter has answered for ${Math.round(link.quietFor)} ms`);
  }

  get #isQuiet(): boolean {
    return this.link.up && this.link.quietFor >= silentTimeouts * this.#context.settings.timeout;
  }

  #requestOf(datum: Datum, items: readonly Item[]): ReadRequest {
    return new ReadRequest(datum, items, this.#bus, this.#reply, this.#context.settings.timeout);
  }
}
