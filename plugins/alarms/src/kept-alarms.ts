import { ErrorCode, Fault, isFault, type Context, type TransitionOf } from '@tagway/sdk';
import { KeptAlarm, stateOf, textOf, type Happening } from './kept-alarm.ts';
import type { AlarmState } from './machine/states.ts';
import { Waiting } from './waiting.ts';

/** Milliseconds after which what no tag has asked for is forgotten: groups that are read rarely come late. */
const forgottenAfter = 24 * 3_600_000;

/** Most commands of one write to the store. */
const commandsMost = 200;

const unstored = new Fault(
  ErrorCode.WRITE_FAILED,
  'The command could not be stored, and changes nothing: write it again.',
);

type Entry = readonly [key: string, text: string | undefined];

/** A command for an alarm: what it changes, or why it changes nothing. */
export interface Change {
  readonly alarm: KeptAlarm;
  readonly next: () => Happening | Fault;
}

type KeptContext = Pick<Context, 'store' | 'log' | 'clock' | 'count'>;

/** Key of a tag in the store of the node: its number, which outlives its names. */
const keyOf = (id: number): string => `a${id}`;

/**
 * The states of a node's alarms, by tag, and their way into the store and the journal: one write after another, which has both. A command counts
 * only once it is stored.
 */
export class KeptAlarms {
  readonly #context: KeptContext;
  #kept: ReadonlyMap<string, string> = new Map();
  readonly #alarms = new Map<number, KeptAlarm>();
  readonly #waiting = new Waiting();
  readonly #events = {
    happened: (happening: Happening): void => this.#lost(this.#waiting.add(happening)),
    lost: (count: number): void => this.#lost(count),
  };
  #began = 0;
  #hasForgotten = false;
  #writing: Promise<unknown> = Promise.resolve();
  #isQueued = false;
  #hasFailed = false;
  #hasLost = false;

  constructor(context: KeptContext) {
    this.#context = context;
  }

  /** Rejects when the store cannot be read: without it what was acknowledged would be open again. */
  async open(): Promise<void> {
    this.#kept = await this.#context.store.read();
    this.#began = this.#context.clock.monotonic();
  }

  /** The state of a tag's alarm, of this run or of an earlier one. Without a number it is new and stored nowhere. */
  take(id: number | undefined): KeptAlarm {
    if (id === undefined) return new KeptAlarm(id, { happened: () => undefined, lost: () => undefined });
    let alarm = this.#alarms.get(id);
    if (alarm === undefined) {
      alarm = new KeptAlarm(id, this.#events);
      const text = this.#kept.get(keyOf(id));
      const state = text === undefined ? undefined : stateOf(text);
      if (state !== undefined) {
        alarm.state = state;
        alarm.isKnown = true;
      }
      this.#alarms.set(id, alarm);
    }
    return alarm;
  }

  /** Stores what is new, after what is under way; does not wait for it. */
  flush(): void {
    if (this.#isQueued || (this.#waiting.isEmpty && !this.#forgets())) return;
    this.#isQueued = true;
    this.#writing = this.#writing.then(() => {
      this.#isQueued = false;
      return this.#storeAll();
    });
  }

  /** Carries out commands; the fault of each that changes nothing. A command is done once its state is stored. */
  change(changes: readonly Change[], signal: AbortSignal): Promise<(Fault | undefined)[]> {
    const done = this.#writing.then(() => this.#change(changes, signal));
    this.#writing = done;
    return done;
  }

  /** Stores what is new and waits for it. */
  async end(): Promise<void> {
    this.flush();
    await this.#writing;
  }

  async #change(changes: readonly Change[], signal: AbortSignal): Promise<(Fault | undefined)[]> {
    const faults: (Fault | undefined)[] = changes.map(() => unstored);
    let open = [...changes.keys()];
    while (open.length > 0 && (await this.#storeAll())) {
      const later: number[] = [];
      const pending = new Map<KeptAlarm, { readonly index: number; readonly happening: Happening }>();
      for (const index of open) {
        const { alarm, next } = changes[index]!;
        // Of one alarm a command follows the one before.
        if (pending.has(alarm) || pending.size === commandsMost) {
          later.push(index);
          continue;
        }
        const happening = signal.aborted ? unstored : next();
        if (isFault(happening)) faults[index] = happening;
        else pending.set(alarm, { index, happening });
      }
      for (const alarm of pending.keys()) alarm.hold();
      const happenings = Array.from(pending.values(), ({ happening }) => happening);
      const isStored = await this.#write(
        happenings.map(({ alarm, after }) => [alarm, after]),
        happenings.flatMap(({ transition }) => transition ?? []),
      );
      for (const [alarm, { index, happening }] of pending) {
        alarm.release(isStored ? happening.after : undefined);
        if (isStored) faults[index] = undefined;
      }
      open = later;
    }
    this.flush();
    return faults;
  }

  /** Whether nothing waits any more. */
  async #storeAll(): Promise<boolean> {
    if (this.#forgets()) await this.#forget();
    while (!this.#waiting.isEmpty)
      if (!(await this.#waiting.storeSome(({ states, transitions }) => this.#write(states, transitions))))
        return false;
    return true;
  }

  #forgets(): boolean {
    return !this.#hasForgotten && this.#context.clock.monotonic() - this.#began > forgottenAfter;
  }

  /** Deletes what no tag has asked for. */
  async #forget(): Promise<void> {
    this.#hasForgotten = true;
    const keys = [...this.#kept.keys()].filter((key) => !this.#alarms.has(Number(key.slice(1))));
    this.#kept = new Map();
    await this.#store(keys.map((key) => [key, undefined]));
  }

  #write(
    states: Iterable<readonly [KeptAlarm, AlarmState]>,
    transitions: readonly TransitionOf[],
  ): Promise<boolean> {
    return this.#store(
      Array.from(states, ([{ id }, state]): Entry => [keyOf(id ?? 0), textOf(state)]),
      transitions,
    );
  }

  /** Whether all is stored. */
  async #store(entries: readonly Entry[], transitions: readonly TransitionOf[] = []): Promise<boolean> {
    try {
      await this.#context.store.write(entries, transitions);
    } catch (error) {
      if (!this.#hasFailed)
        this.#context.log.error(
          'States of alarms could not be stored: a gateway that ends now would go on with those that were stored before. It is tried again, and commands are refused until then.',
          { error },
        );
      this.#hasFailed = true;
      return false;
    }
    if (this.#hasFailed && entries.length > 0) {
      this.#hasFailed = false;
      this.#hasLost = false;
      this.#context.log.notice('States of alarms are stored again.');
    }
    return true;
  }

  #lost(count: number): void {
    if (count === 0) return;
    this.#context.count('lost_transitions_total', count);
    if (!this.#hasLost)
      this.#context.log.error(
        'More transitions of alarms wait to be stored than there is room for: the oldest will not be in the journal. States are kept.',
      );
    this.#hasLost = true;
  }
}
