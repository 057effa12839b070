import type {
  BrowsePage,
  BrowseRequest,
  Call,
  Context,
  Driver,
  Point,
  Report,
  Results,
  Values,
  Watch,
  Write,
} from '@tagway/sdk';
import { disconnected } from '@tagway/sdk/link';
import { browse } from './browse.ts';
import { put } from './decode.ts';
import { compilePlan, type Plan } from './plan.ts';
import type { Settings } from './settings.ts';
import { Station } from './station.ts';

/** A controlling station of IEC 60870-5-104. */
export class Iec104Driver implements Driver {
  readonly #context: Context<Settings>;
  readonly #station: Station;
  readonly #plans = new WeakMap<readonly Point[], Plan>();

  constructor(context: Context<Settings>) {
    this.#context = context;
    this.#station = new Station(context);
  }

  start(): Promise<void> {
    return this.#station.link.open();
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#station.link.close(signal);
  }

  /** Reads what was reported last; whoever wants values of now has the station interrogated first. */
  async read(points: readonly Point[], into: Values, { cause, signal }: Call): Promise<void> {
    const { cache, counters, link, objects } = this.#station;
    if (!link.up) throw disconnected;
    const { slots, fault } = this.#planOf(points);
    if (cause !== 'poll') {
      await within(() => objects.ask(), signal);
      if (this.#context.settings.counter_interval > 0) await within(() => counters.ask(), signal);
    }
    for (const [index, slot] of slots.entries()) {
      if (slot < 0) into.fault(index, fault(index));
      else put(cache, slot, into, index, (points[index] as Point).type);
    }
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    if (!this.#station.link.up) throw disconnected;
    await this.#station.commands.writeAll(writes, into, signal);
  }

  watch(points: readonly Point[], report: Report): Watch {
    return this.#station.watches.add(points, this.#planOf(points), report);
  }

  browse(request: BrowseRequest): Promise<BrowsePage> {
    if (!this.#station.link.up) return Promise.reject(disconnected);
    return Promise.resolve(browse(this.#station.cache, request));
  }

  #planOf(points: readonly Point[]): Plan {
    const plan = this.#plans.get(points) ?? compilePlan(points, this.#station.cache);
    this.#plans.set(points, plan);
    return plan;
  }
}

/** Settles as the work does, or rejects with the reason of the signal. */
async function within(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<void>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
