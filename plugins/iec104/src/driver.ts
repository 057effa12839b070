import type {
  BrowsePage,
  BrowseRequest,
  Call,
  Context,
  Point,
  Report,
  Results,
  Values,
  Watch,
  Write,
} from '@tagway/sdk';
import { abortable, LinkDriver, ReadPlans } from '@tagway/sdk/link';
import { browse } from './browse.ts';
import { put } from './decode.ts';
import { compilePlan, type ReadPlan } from './plan.ts';
import type { Session } from '@tagway/iec104';
import type { Settings } from './settings.ts';
import { Station } from './station.ts';

/** A controlling station of IEC 60870-5-104. */
export class Iec104Driver extends LinkDriver<Session, ReadPlan> {
  readonly #context: Context<Settings>;
  readonly #station: Station;
  protected readonly link;
  protected readonly plans = new ReadPlans((points) => compilePlan(points, this.#station.cache));

  constructor(context: Context<Settings>) {
    super();
    this.#context = context;
    this.#station = new Station(context);
    this.link = this.#station.link;
  }

  /** Reads what was reported last. A read on request or a test read has the station interrogated first. */
  protected async readPlan(
    { points, slots }: ReadPlan,
    into: Values,
    { cause, signal }: Call,
  ): Promise<void> {
    const { cache, counters, objects } = this.#station;
    if (cause !== 'poll') {
      await abortable(objects.ask(), signal);
      if (this.#context.settings.counter_interval > 0) await abortable(counters.ask(), signal);
    }
    for (let index = 0; index < slots.length; index++)
      if (slots[index]! >= 0) put(cache, slots[index]!, into, index, points[index]!.type);
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    this.link.requireSession();
    await this.#station.commands.sendWrites(writes, into, signal);
  }

  watch(points: readonly Point[], report: Report): Watch {
    return this.#station.watches.add(this.plans.of(points, { cause: 'poll' }), report);
  }

  async browse(request: BrowseRequest): Promise<BrowsePage> {
    this.link.requireSession();
    return Promise.resolve(browse(this.#station.cache, request));
  }
}
