import type { AlarmEvent, AppContext, Subscription } from '@tagway/sdk';
import type { Kept } from './kept.ts';

/** A subscription to alarms, and how far its transitions were taken. */
interface Source {
  subscription: Subscription;
  /** Number of the last transition that was taken; undefined while the journal is read. */
  seen: number | undefined;
}

export interface AlarmTaker {
  /** Takes transitions of a subscription in order, each once; what it keeps is stored together with how far they were taken. */
  take(events: readonly AlarmEvent[], subscription: Subscription): void;
  /** The subscription is gone. */
  forget(subscription: number): void;
}

type SourceContext = Pick<AppContext, 'alarms' | 'clock' | 'log' | 'signal'>;

/** Milliseconds until the journal is asked again that could not be read. */
const pause = 5000;

/** Transitions of alarms: those that come, and before them from the journal those that came while the node did not run. */
export class AlarmSources {
  readonly #context: SourceContext;
  readonly #kept: Kept;
  readonly #taker: AlarmTaker;
  readonly #sources = new Map<number, Source>();
  /** Journals that are being read. */
  readonly #reading = new Set<Promise<void>>();

  constructor(context: SourceContext, kept: Kept, taker: AlarmTaker) {
    this.#context = context;
    this.#kept = kept;
    this.#taker = taker;
  }

  /** Resolves when no journal is being read any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading);
  }

  change(all: readonly Subscription[]): void {
    const present = new Set(all.map(({ id }) => id));
    for (const [key] of this.#kept.entries('seen/')) {
      const id = Number(key.slice('seen/'.length));
      if (present.has(id)) continue;
      this.#sources.delete(id);
      this.#kept.set(key, undefined);
      this.#taker.forget(id);
    }
    for (const subscription of all) {
      const known = this.#sources.get(subscription.id);
      if (known !== undefined) {
        known.subscription = subscription;
        continue;
      }
      const source: Source = { subscription, seen: undefined };
      this.#sources.set(subscription.id, source);
      const reading = this.#catchUp(source).finally(() => this.#reading.delete(reading));
      this.#reading.add(reading);
    }
  }

  take(events: readonly AlarmEvent[], { id }: Subscription): void {
    const source = this.#sources.get(id);
    // What comes while the journal is read is in the journal.
    if (source?.seen === undefined) return;
    this.#take(source, events, source.seen);
  }

  #take(source: Source, events: readonly AlarmEvent[], seen: number, upTo?: number): void {
    const { subscription } = source;
    const fresh = events.filter(({ sequence }) => sequence > seen);
    this.#taker.take(fresh, subscription);
    const last = Math.max(seen, upTo ?? 0, fresh.at(-1)?.sequence ?? 0);
    if (source.seen !== undefined) source.seen = last;
    this.#kept.set(keyOf(subscription), String(last));
  }

  async #catchUp(source: Source): Promise<void> {
    const { signal, clock } = this.#context;
    let isLogged = false;
    while (!signal.aborted && this.#sources.get(source.subscription.id) === source) {
      try {
        await this.#readJournal(source);
        return;
      } catch (error) {
        if (!isLogged && !signal.aborted)
          this.#context.log.warn(
            `The journal of the alarms of "${source.subscription.driver}" cannot be read; it is tried again: ${String(error)}`,
          );
        isLogged = true;
        await clock.sleep(pause, signal).catch(() => undefined);
      }
    }
  }

  async #readJournal(source: Source): Promise<void> {
    const stored = this.#kept.get(keyOf(source.subscription));
    let seen = Number(stored ?? Number.MAX_SAFE_INTEGER);
    for (;;) {
      const { driver, group } = source.subscription;
      const { events, last } = await this.#context.alarms(driver, {
        after: seen,
        signal: this.#context.signal,
      });
      // A subscription that is new begins now; a driver that was made anew begins at 1 again.
      if (seen > last) {
        seen = stored === undefined ? last : 0;
        this.#kept.set(keyOf(source.subscription), String(seen));
        if (seen < last) continue;
      }
      if (events.length === 0) {
        source.seen = seen;
        this.#taker.take([], source.subscription);
        return;
      }
      const end = events.at(-1)!.sequence;
      this.#take(
        source,
        events.filter((event) => event.group === group),
        seen,
        end,
      );
      seen = end;
    }
  }
}

const keyOf = ({ id }: Subscription): string => `seen/${id}`;
