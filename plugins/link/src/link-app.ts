import {
  type App,
  type AppContext,
  type DriverState,
  formatReference,
  type Inputs,
  LinkState,
} from '@tagway/sdk';
import { Reports } from './reports.ts';
import { Link, type Row, Watchdog } from './row.ts';
import { tableOf } from './rows.ts';
import type { Settings } from './settings.ts';
import { Target } from './target.ts';

/** Writes what tags have into other tags. */
export class LinkApp implements App<never, Settings> {
  readonly #context: AppContext<Settings>;
  readonly #reports: Reports;
  readonly #targets = new Map<string, Target>();
  readonly #timers = new Map<number, Disposable>();
  #rows: readonly Row[] = [];
  #links = new Map<string, Link[]>();
  /** The references that `#byInput` is of. */
  #references: Inputs['references'] = [];
  /** The links of each input. */
  #byInput: readonly (readonly Link[])[] = [];
  #states: readonly DriverState[] = [];
  /** The same object in all calls about the same references. */
  #inputs: Inputs | undefined;

  constructor(context: AppContext<Settings>) {
    this.#context = context;
    this.#reports = new Reports(context);
    context.messages?.(this.#reports);
  }

  async start(): Promise<void> {
    this.#take(this.#context.settings);
    this.#context.link(LinkState.CONNECTED);
  }

  settingsChanged(settings: Settings): boolean {
    const known = new Set(this.#rows);
    this.#take(settings);
    // A row that is new, of a source that was read before, does not wait for the next sample of it.
    if (this.#inputs !== undefined) this.#offer(this.#inputs, this.#references.keys(), known);
    return true;
  }

  /** Nothing is subscribed to: the rows say what is read. */
  subscriptionsChanged(): void {}

  deliver(): void {}

  driversChanged(states: readonly DriverState[]): void {
    this.#states = states;
    for (const [name, target] of this.#targets) target.setState(this.#stateOf(name));
  }

  deliverInputs(inputs: Inputs): void {
    if (inputs.references !== this.#references) this.#connect(inputs.references);
    this.#inputs = inputs;
    this.#offer(inputs, inputs.fresh);
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    for (const target of this.#targets.values()) target.stop();
    this.#reports.stop();
  }

  /** Has links written for which there is something new; those in `without` are left out. */
  #offer(inputs: Inputs, fresh: Iterable<number>, without?: ReadonlySet<Row>): void {
    let isAny = false;
    for (const input of fresh)
      for (const link of this.#byInput[input] ?? []) {
        if (without?.has(link) === true || !link.take(inputs, input)) continue;
        this.#targets.get(link.write.driver)?.offer(link);
        isAny = true;
      }
    if (isAny) for (const target of this.#targets.values()) target.flush();
  }

  /** Goes on with the rows that were there before, and begins with the others. */
  #take(settings: Readonly<Settings>): void {
    const table = tableOf(settings);
    const before = new Map(this.#rows.map((row) => [keyOf(row), row]));
    const rows: Row[] = [];
    for (const made of [
      ...table.links.map((row) => new Link(row)),
      ...table.watchdogs.map((row) => new Watchdog(row)),
    ]) {
      const key = keyOf(made);
      const known = before.get(key);
      before.delete(key);
      if (known === undefined) this.#targetOf(made.write.driver).rows.add(made);
      else known.move(made);
      rows.push(known ?? made);
    }
    for (const row of before.values()) this.#targets.get(row.write.driver)?.remove(row);
    for (const [name, target] of this.#targets) {
      if (target.rows.size > 0) continue;
      target.stop();
      this.#targets.delete(name);
    }
    this.#rows = rows;
    this.#reports.rows = rows;
    this.#links = Map.groupBy(
      rows.filter((row) => row instanceof Link),
      ({ source }) => source,
    );
    this.#connect(this.#references);
    this.#arm();
  }

  #targetOf(name: string): Target {
    let target = this.#targets.get(name);
    if (target === undefined) {
      target = new Target(name, this.#context, this.#reports);
      target.setState(this.#stateOf(name));
      this.#targets.set(name, target);
    }
    return target;
  }

  #stateOf(name: string): DriverState | undefined {
    return this.#states.find(({ driver }) => driver === name);
  }

  #connect(references: Inputs['references']): void {
    this.#references = references;
    this.#byInput = references.map((reference) => this.#links.get(formatReference(reference)) ?? []);
  }

  /** One timer for all rows of one interval. */
  #arm(): void {
    const wanted = Map.groupBy(
      this.#rows.filter(({ every }) => every > 0),
      ({ every }) => every,
    );
    for (const [every, timer] of this.#timers) {
      timer[Symbol.dispose]();
      this.#timers.delete(every);
    }
    for (const [every, rows] of wanted) this.#tickAfter(every, rows);
  }

  #tickAfter(every: number, rows: readonly Row[]): void {
    this.#timers.set(
      every,
      this.#context.clock.timer(every, () => {
        const now = this.#context.clock.now();
        for (const row of rows) {
          if (row instanceof Watchdog) row.sampledAt = now;
          if (row.isArmed || row instanceof Watchdog) this.#targets.get(row.write.driver)?.offer(row);
        }
        this.#tickAfter(every, rows);
        for (const target of this.#targets.values()) target.flush();
      }),
    );
  }
}

function keyOf(row: Row): string {
  return `${row instanceof Link ? 'link' : 'watchdog'} ${row.text}`;
}
