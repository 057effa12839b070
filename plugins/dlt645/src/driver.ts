import type { Call, Context, Driver, Point, Values } from '@tagway/sdk';
import { Bus, disconnected, SilenceClock } from '@tagway/sdk/link';
import { wireOf } from '@tagway/serial';
import { meterOf } from './address.ts';
import { Cycle } from './cycle.ts';
import { Enquiry } from './enquiry.ts';
import { Meters, type Datum } from './meter.ts';
import { planOf, type Plan } from './plan.ts';
import { Answers } from './session.ts';
import type { Settings } from './settings.ts';

/** Pauses of a meter that did not answer in two rounds in a row, in milliseconds. */
const silencePauses = { first: 5000, most: 60_000, forgiven: 1 };

/** Milliseconds without an answer, in timeouts, after which a connection on which all are silent is given up. */
const patience = 3;

/** One run of a DL/T645 node. */
export class Dlt645Driver implements Driver {
  readonly #context: Context<Settings>;
  readonly #bus: Bus<Enquiry>;
  readonly #answers: Answers;
  readonly #silence = new SilenceClock<string>(silencePauses);
  readonly #meters = new Meters();
  readonly #plans = new WeakMap<readonly Point[], Plan>();

  constructor(context: Context<Settings>) {
    const { settings } = context;
    this.#context = context;
    // Whether all are silent is for the driver to say.
    this.#bus = new Bus(context, wireOf(context.node, settings, settings.interval), {
      timeout: settings.timeout,
      silence: Infinity,
    });
    this.#answers = new Answers(() => context.count('foreign_frames', 1));
    this.#bus.link.observe({
      up: () => {
        this.#silence.expire();
        this.#meters.expire();
      },
      down: () => undefined,
    });
  }

  start(): Promise<void> {
    return this.#bus.open();
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#bus.close(signal);
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const isTest = call.cause === 'test';
    const plan = isTest ? this.#compile(points, new Meters()) : this.#planOf(points);
    const { clock, settings } = this.#context;
    const { link } = this.#bus;
    if (!link.up) throw disconnected;
    // A test read asks whatever production leaves alone, and is forgotten.
    const silence = isTest ? new SilenceClock<string>(silencePauses) : this.#silence;
    const cycle = new Cycle({ bus: this.#bus, clock, silence, retries: settings.max_retries }, into, call);
    await cycle.run(plan);
    if (isTest || !cycle.isSilent || !this.#meters.allSilent) return;
    if (link.up && link.quietFor >= patience * settings.timeout)
      link.silent(`no meter has answered for ${Math.round(link.quietFor)} ms`);
  }

  #planOf(points: readonly Point[]): Plan {
    const known = this.#plans.get(points) ?? this.#compile(points, this.#meters);
    this.#plans.set(points, known);
    return known;
  }

  #compile(points: readonly Point[], meters: Meters): Plan {
    const { mail_address, timeout } = this.#context.settings;
    const enquire = (datum: Datum): Enquiry => new Enquiry(datum, this.#bus, this.#answers, timeout);
    return planOf(points, meters, meterOf(mail_address), enquire);
  }
}
