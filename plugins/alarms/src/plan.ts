import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExpressionError, GroupInputs } from '@tagway/expression';
import { ErrorCode, Fault, type Inputs, type Point, shownAlarm, type Values } from '@tagway/sdk';
import { Alarm } from './alarm.ts';
import { parseDefinition } from './definition/definition.ts';
import type { KeptAlarm } from './kept-alarm.ts';
import { show } from './show.ts';

/** Milliseconds for which the making of a plan keeps the runner at a time. */
const longestTurn = 20;

/** A sample that is older than the last one by more than these milliseconds says that the clock of its device was set back. */
const setBackFrom = 60_000;

/** A tag that shows an alarm, and its index in the group. */
interface View {
  readonly index: number;
  readonly point: Point;
}

/** The alarms of one group, the tags that show them, and what they read. */
export class Plan {
  /** The alarms, each at the index of the tag that defines it. */
  readonly #alarms: readonly (Alarm | undefined)[];
  /** Of each alarm the tags that show it, at the index of the tag that defines it. */
  readonly #views: readonly (readonly View[])[];
  /** Of each tag the alarm that it shows, or why it shows none. */
  readonly shown: readonly (Alarm | Fault)[];
  readonly #faulty: readonly number[];
  readonly #inputs: GroupInputs;
  /** Of each input when its newest value arose, NaN before there was one. */
  readonly #newest: Float64Array;

  /**
   * Makes the plan of a group and takes the inputs that are there, if any. Thousands of alarms take seconds, between which the runner does other
   * things, as it must: one that is silent for long counts as hung.
   */
  static async make(
    points: readonly Point[],
    inputs: Inputs | undefined,
    take: (id: number | undefined) => KeptAlarm,
  ): Promise<Plan> {
    const pause = pauses();
    const groupInputs = new GroupInputs(inputs, points.length);
    const alarms: (Alarm | Fault | undefined)[] = [];
    for (const point of points) {
      alarms.push(alarmOf(point, take, groupInputs));
      await pause();
    }
    const plan = new Plan(points, groupInputs, alarms);
    // Types first: a state goes on only where its function is compiled.
    if (inputs !== undefined) await plan.#loadAll(inputs, pause);
    return plan;
  }

  private constructor(
    points: readonly Point[],
    inputs: GroupInputs,
    alarms: readonly (Alarm | Fault | undefined)[],
  ) {
    this.#inputs = inputs;
    this.#newest = new Float64Array(inputs.size).fill(NaN);
    const indices = new Map(points.map(({ name }, index) => [name, index]));
    const views: View[][] = points.map(() => []);
    this.#alarms = alarms.map((alarm) => (alarm instanceof Alarm ? alarm : undefined));
    this.shown = points.map((point, index) => {
      const name = shownAlarm(point.address);
      const from = name === undefined ? index : (indices.get(name) ?? -1);
      const alarm = alarms[from];
      if (!(alarm instanceof Alarm)) return alarm instanceof Fault ? alarm : missing(name ?? '');
      views[from]!.push({ index, point });
      return alarm;
    });
    this.#views = views;
    this.#faulty = [...points.keys()].filter((index) => !(this.shown[index] instanceof Alarm));
    for (const [index, alarm] of this.#alarms.entries())
      if (alarm !== undefined) this.#inputs.connect(index, alarm.inputs);
  }

  /** The alarms that are defined here. */
  get alarms(): Alarm[] {
    return this.#alarms.filter((alarm) => alarm !== undefined);
  }

  /** Takes what has arrived, and stores the tags of the alarms that it is about. */
  arrive(inputs: Inputs, into: Values): void {
    for (const input of inputs.fresh) {
      if (this.#isOlder(inputs, input)) continue;
      this.#load(inputs, input);
      this.#inputs.mark(input);
    }
    this.#compile();
    for (const index of this.#inputs.marked) {
      const alarm = this.#alarms[index]!;
      alarm.observe(inputs.timestamp, false);
      this.#store(index, alarm, into);
    }
    this.#inputs.clearMarks();
  }

  /** A tick, or somebody who asks: time has passed. Stores all tags. */
  tick(inputs: Inputs | undefined, now: number, into: Values): void {
    if (inputs !== undefined) this.#loadOthers(inputs);
    for (const [index, alarm] of this.#alarms.entries()) {
      if (alarm === undefined) continue;
      alarm.observe(now, true);
      this.#store(index, alarm, into);
    }
    for (const index of this.#faulty) into.fault(index, this.shown[index] as Fault);
  }

  #store(index: number, alarm: Alarm, into: Values): void {
    for (const { index: place, point } of this.#views[index]!) show(alarm, into, place, point.type);
  }

  /** Takes everything that is there. */
  async #loadAll(inputs: Inputs, pause: () => Promise<void>): Promise<void> {
    for (let input = 0; input < this.#inputs.size; input++) this.#load(inputs, input);
    for (const index of this.#inputs.stale) {
      this.#alarms[index]!.compile();
      await pause();
    }
    this.#inputs.clearStale();
  }

  #loadOthers(inputs: Inputs): void {
    for (let input = 0; input < this.#inputs.size; input++)
      if (!this.#inputs.isAsLoaded(inputs, input) && !this.#isOlder(inputs, input)) this.#load(inputs, input);
    this.#compile();
  }

  #isOlder(inputs: Inputs, input: number): boolean {
    if (inputs.fault(input) !== undefined) return false;
    const behind = this.#newest[input]! - inputs.time(input);
    return behind > 0 && behind <= setBackFrom;
  }

  #load(inputs: Inputs, input: number): void {
    this.#inputs.load(inputs, input);
    if (inputs.fault(input) === undefined) this.#newest[input] = inputs.time(input);
  }

  /** Once for each alarm, however many of its inputs have another type. */
  #compile(): void {
    if (this.#inputs.stale.size === 0) return;
    for (const index of this.#inputs.stale) this.#alarms[index]!.compile();
    this.#inputs.clearStale();
  }
}

/** Lets other work run once this has kept the runner for long. */
function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < longestTurn) return;
    await nextTurn();
    since = performance.now();
  };
}

function missing(name: string): Fault {
  return new Fault(
    ErrorCode.READ_FAILED,
    `There is no tag ${JSON.stringify(name)} in this group that defines an alarm: write the name of one that does.`,
  );
}

function alarmOf(
  point: Point,
  take: (id: number | undefined) => KeptAlarm,
  { resolve }: GroupInputs,
): Alarm | Fault | undefined {
  if (shownAlarm(point.address) !== undefined) return undefined;
  try {
    return new Alarm(point, parseDefinition(point.address), take(point.id), resolve);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return new Fault(ErrorCode.TAG_ADDRESS_INVALID, error.message);
  }
}
