import { ErrorCode, Fault, isFault, LinkState, shownAlarm } from '@tagway/sdk';
import { abortable } from '@tagway/sdk/link';
import type { Call, Driver, DriverContext, Inputs, Point, Results, Values, Write, Writer } from '@tagway/sdk';
import { Alarm } from './alarm.ts';
import { parseCommand, type Command } from './command.ts';
import type { Happening } from './kept-alarm.ts';
import { KeptAlarms, type Change } from './kept-alarms.ts';
import { refusal, transition } from './machine/transition.ts';
import { Plan } from './plan.ts';
import type { Settings } from './settings.ts';

const notRead = new Fault(
  ErrorCode.NOT_READY,
  'The group of the alarm was not read yet: write the command again in a moment.',
);
const onlyInGroup = new Fault(
  ErrorCode.READ_FAILED,
  'This address shows the alarm of another tag of its group: it has a value once the tag is added.',
);

/** Alarms on tags of other nodes. */
export class AlarmsDriver implements Driver {
  readonly #context: DriverContext<Settings>;
  readonly #plans = new WeakMap<readonly Point[], Plan>();
  readonly #kept: KeptAlarms;
  /** The alarm that each tag shows, by the number of the tag. */
  readonly #shown = new Map<number, Alarm | Fault>();

  constructor(context: DriverContext<Settings>) {
    this.#context = context;
    this.#kept = new KeptAlarms(context);
  }

  async start(): Promise<void> {
    await this.#kept.open();
    this.#context.link(LinkState.CONNECTED);
  }

  async read(points: readonly Point[], into: Values, { cause, inputs }: Call): Promise<void> {
    if (cause === 'test') return this.#test(points, into, inputs);
    const plan = this.#plans.get(points) ?? (await this.#makePlan(points, inputs));
    if (cause !== 'input') plan.tick(inputs, this.#context.clock.now(), into);
    else if (inputs !== undefined) plan.arrive(inputs, into);
    this.#kept.flush();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    const changes: Change[] = [];
    const places: number[] = [];
    for (const [index, write] of writes.entries()) {
      const change = this.#changeOf(write);
      if (isFault(change)) into.fault(index, change);
      else {
        changes.push(change);
        places.push(index);
      }
    }
    const faults = await abortable(this.#kept.change(changes, signal), signal);
    for (const [entry, index] of places.entries()) {
      const fault = faults[entry];
      if (fault === undefined) into.done(index);
      else into.fault(index, fault);
    }
  }

  async stop(): Promise<void> {
    await this.#kept.end();
  }

  async #makePlan(points: readonly Point[], inputs: Inputs | undefined): Promise<Plan> {
    const plan = await Plan.make(points, inputs, (id) => this.#kept.take(id));
    for (const alarm of plan.alarms) {
      const earlier = this.#shown.get(alarm.point.id ?? -1);
      if (earlier instanceof Alarm && earlier.kept === alarm.kept) alarm.goOn(earlier);
    }
    for (const [index, { id }] of points.entries())
      if (id !== undefined) this.#shown.set(id, plan.shown[index]!);
    this.#plans.set(points, plan);
    return plan;
  }

  /** What a new alarm with this address would show now, its delays not yet run off. */
  async #test(points: readonly Point[], into: Values, inputs: Inputs | undefined): Promise<void> {
    const plan = await Plan.make(points, inputs, () => this.#kept.take(undefined));
    plan.tick(inputs, this.#context.clock.now(), into);
    for (const [index, { address }] of points.entries())
      if (shownAlarm(address) !== undefined) into.fault(index, onlyInGroup);
  }

  #changeOf({ by, point, value }: Write): Change | Fault {
    const alarm = this.#shown.get(point.id ?? -1) ?? notRead;
    if (isFault(alarm)) return alarm;
    const command = parseCommand(value, this.#context.settings.longest_shelf);
    if (isFault(command)) return command;
    return { alarm: alarm.kept, next: () => this.#carryOut(command, alarm, by) };
  }

  #carryOut({ comment, event, seconds }: Command, alarm: Alarm, by: Writer | undefined): Happening | Fault {
    const { kept } = alarm;
    const now = this.#context.clock.now();
    const time = Number.isNaN(alarm.time) ? now : alarm.time;
    const end = now + (seconds ?? this.#context.settings.longest_shelf) * 1000;
    const shelf = event === 'shelve' ? { end, isOneShot: seconds === undefined } : undefined;
    if (event === 'comment')
      return kept.happeningOf(kept.state, { ...alarm.facts(event, time), by, comment });
    const after = transition(kept.state, event, alarm.definition, time, shelf);
    if (after === undefined) return new Fault(ErrorCode.WRITE_FAILED, refusal(kept.state, event));
    return kept.happeningOf(after, { ...alarm.facts(event, time), by, comment });
  }
}
