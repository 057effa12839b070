import { ErrorCode, Fault, isFault, type Context } from '@tagway/sdk';
import { KeptAlarm, stateOf, textOf } from './kept-alarm.ts';
import type { AlarmState } from './machine/states.ts';

/** Milliseconds after which what no tag has asked for is forgotten: groups that are read rarely come late. */
const forgottenAfter = 24 * 3_600_000;

/** Most entries of one write to the store, each of some 80 characters. */
const entriesMost = 5000;

/** How many times a command is stored again because the condition has changed the state meanwhile. */
const attemptsMost = 10;

const unstored = new Fault(
  ErrorCode.WRITE_FAILED,
  'The command could not be stored, and changes nothing: write it again.',
);
const restless = new Fault(
  ErrorCode.WRITE_FAILED,
  'The alarm changed its state again and again while the command was stored, which changes nothing: write it again.',
);
const anew = new Fault(
  ErrorCode.WRITE_FAILED,
  'The alarm became active anew while the command was stored, which changes nothing: write it again if it is meant for that, too.',
);

type Entry = readonly [key: string, text: string | undefined];

/** A command for an alarm: what it makes of a state, or why it makes nothing. */
export interface Change {
  readonly alarm: KeptAlarm;
  readonly next: (state: AlarmState) => AlarmState | Fault;
}

/** Key of a tag in the store of the node: its number, which outlives its names. */
const keyOf = (id: number): string => `a${id}`;

/**
 * The states of a node's alarms, by tag, and their way into the store: one write after another. Transitions by conditions are gathered; of each
 * alarm only the latest state waits, so that what waits has a bound. A command counts only once its state is stored.
 */
export class KeptAlarms {
  readonly #context: Pick<Context, 'store' | 'log' | 'clock'>;
  #kept: ReadonlyMap<string, string> = new Map();
  readonly #alarms = new Map<number, KeptAlarm>();
  /** Alarms whose state is not stored yet. */
  readonly #unstored = new Set<KeptAlarm>();
  #began = 0;
  #hasForgotten = false;
  #writing: Promise<unknown> = Promise.resolve();
  #isQueued = false;
  #hasFailed = false;

  constructor(context: Pick<Context, 'store' | 'log' | 'clock'>) {
    this.#context = context;
  }

  /** Rejects when the store cannot be read: without it what was acknowledged would be open again. */
  async open(): Promise<void> {
    this.#kept = await this.#context.store.read();
    this.#began = this.#context.clock.monotonic();
  }

  /** The state of a tag's alarm, of this run or of an earlier one. Without a number it is new and stored nowhere. */
  take(id: number | undefined): KeptAlarm {
    if (id === undefined) return new KeptAlarm(id, () => undefined);
    let alarm = this.#alarms.get(id);
    if (alarm === undefined) {
      alarm = new KeptAlarm(id, (changed) => this.#unstored.add(changed));
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
    if (this.#isQueued || (this.#unstored.size === 0 && !this.#forgets())) return;
    this.#isQueued = true;
    this.#writing = this.#writing.then(() => this.#flush());
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
    const faults: (Fault | undefined)[] = changes.map(() => restless);
    let open = [...changes.keys()];
    let conflicts = 0;
    while (open.length > 0 && conflicts < attemptsMost) {
      const later: number[] = [];
      const pending = new Map<KeptAlarm, { index: number; from: AlarmState; to: AlarmState }>();
      for (const index of open) {
        const { alarm, next } = changes[index]!;
        if (pending.has(alarm)) {
          later.push(index);
          continue;
        }
        const to = signal.aborted ? unstored : next(alarm.state);
        if (isFault(to)) faults[index] = to;
        else pending.set(alarm, { index, from: alarm.state, to });
      }
      const isStored = await this.#write(
        Array.from(pending, ([{ id }, { to }]): Entry => [keyOf(id ?? 0), textOf(to)]),
      );
      const again: number[] = [];
      for (const [alarm, { from, index, to }] of pending) {
        if (isStored && alarm.state === from) {
          alarm.state = to;
          alarm.isKnown = true;
          faults[index] = undefined;
          continue;
        }
        // What was stored is not what is there.
        this.#unstored.add(alarm);
        if (!isStored) faults[index] = unstored;
        else if (alarm.state.occurrence !== from.occurrence) faults[index] = anew;
        else again.push(index);
      }
      if (again.length > 0) conflicts++;
      open = [...again, ...later];
    }
    return faults;
  }

  async #flush(): Promise<void> {
    this.#isQueued = false;
    const alarms = [...this.#unstored];
    this.#unstored.clear();
    const entries = alarms.map(({ id, state }): Entry => [keyOf(id ?? 0), textOf(state)]);
    if (this.#forgets()) {
      this.#hasForgotten = true;
      for (const key of this.#kept.keys())
        if (!this.#alarms.has(Number(key.slice(1)))) entries.push([key, undefined]);
      this.#kept = new Map();
    }
    if (!(await this.#write(entries))) for (const alarm of alarms) this.#unstored.add(alarm);
  }

  #forgets(): boolean {
    return !this.#hasForgotten && this.#context.clock.monotonic() - this.#began > forgottenAfter;
  }

  /** Whether all is stored. */
  async #write(entries: readonly Entry[]): Promise<boolean> {
    try {
      for (let from = 0; from < entries.length; from += entriesMost)
        await this.#context.store.write(entries.slice(from, from + entriesMost));
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
      this.#context.log.notice('States of alarms are stored again.');
    }
    return true;
  }
}
