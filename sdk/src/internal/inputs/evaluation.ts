import { inputsOf } from '@tagway/schemas';
import type { Fault } from '../../fault.ts';
import type { Sample } from '../../sample.ts';
import type { SampleData } from '../channel/protocol.ts';
import type { Draft } from '../samples/draft.ts';
import { EventSample } from '../samples/event-sample.ts';
import { InputValues } from './input-values.ts';
import type { Reads } from './known-layouts.ts';
import type { SampleBuilder } from '../samples/sample-builder.ts';
import { SampleQueue } from '../samples/sample-queue.ts';
import { Priority } from '../../priority.ts';
import { deadlines } from '../runner/deadline.ts';
import { faultOfRead, type GroupSurroundings } from '../runner/group-surroundings.ts';

/** Bytes of samples held for a group that is still being read. */
const queueBytes = 16_000_000;

/** A sample with the number of its group. */
interface Arrival extends Sample {
  readonly from: number;
}

/** The group whose inputs are evaluated. */
export interface EvaluatedGroup {
  /** Of its present version. */
  builder(): SampleBuilder;
  /** Whether the driver runs and the group is there. */
  isRunning(): boolean;
  /** Whether the sample was sent at once. */
  send(sample: SampleData): boolean;
}

/** The inputs of one group of a driver with inputs, and what follows from each of their samples. */
export class Evaluation {
  #inputs: InputValues;
  readonly #with: GroupSurroundings;
  readonly #group: EvaluatedGroup;
  readonly #queue: SampleQueue<Arrival>;

  constructor(surroundings: GroupSurroundings, group: EvaluatedGroup) {
    this.#with = surroundings;
    this.#group = group;
    this.#queue = new SampleQueue(queueBytes, {
      versionOf: ({ layout }) => layout.version,
      dropped: (sample) => surroundings.context.countDropped(sample),
    });
    this.#inputs = new InputValues(inputsOf(group.builder().points));
  }

  get inputs(): InputValues {
    return this.#inputs;
  }

  /** The points of the group are others. */
  repoint(): void {
    const before = this.#inputs;
    this.#inputs = new InputValues(inputsOf(this.#group.builder().points));
    this.#inputs.adopt(before);
  }

  /** Takes what is read now. Whether any input is another one than before. */
  connect({ layouts, present }: Reads): boolean {
    if (!this.#inputs.connect(layouts)) return false;
    for (const [group, sample] of present) this.#inputs.take(group, sample);
    return true;
  }

  reads(group: number): boolean {
    return this.#inputs.has(group);
  }

  /** Takes a sample of a group that is read, for `evaluate`. */
  push(group: number, sample: Sample): void {
    this.#queue.push({ ...sample, from: group });
  }

  get isDue(): boolean {
    return this.#queue.length > 0;
  }

  /** Evaluates the samples that have come, in order. */
  async evaluate(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift())
      if (typeof next !== 'function') await this.#evaluateOne(next.from, next);
  }

  async #evaluateOne(from: number, sample: Sample): Promise<void> {
    const group = this.#group;
    const builder = group.builder();
    const { clock } = this.#with.context;
    // The first sample of a layout is a whole one, which the group then reads.
    const isSent = builder.reported.hasBegun;
    const rows = new ResultRows(builder, clock.now(), (result) => group.send(result));
    let row = 0;
    do {
      row = this.#inputs.take(from, sample, row);
      if (this.#inputs.fresh.length === 0 || !group.isRunning()) continue;
      const draft = builder.draft();
      const fault = await this.#read(builder, draft);
      // The group has changed meanwhile and is read anew.
      if (builder !== group.builder()) return;
      if (!isSent) continue;
      if (fault !== undefined) {
        rows.send(clock.now());
        group.send(builder.finish(draft.values, clock.now(), fault));
      } else if (rows.isEmpty && isImage(builder, draft)) {
        const image = builder.image(draft.values, clock.now());
        if (group.send(image)) builder.reuse(draft.values);
      } else {
        rows.add(draft);
        builder.reuse(draft.values);
      }
    } while (row > 0);
    rows.send(clock.now());
  }

  /** Calls the driver for the fresh inputs; resolves with the fault of the call as a whole, if it has one. */
  async #read({ points }: SampleBuilder, draft: Draft): Promise<Fault | undefined> {
    const { calls, failed } = this.#with;
    const inputs = this.#inputs;
    try {
      await calls.make(inputCall, (driver, call) => driver.read(points, draft, { ...call, inputs }));
      return undefined;
    } catch (error) {
      failed(error);
      return faultOfRead(error);
    } finally {
      draft.close();
    }
  }
}

const inputCall = {
  priority: Priority.POLL,
  what: 'read',
  deadline: deadlines.read,
  cause: 'input',
} as const;

/** What some points became, in order: news of points with the SUBSCRIBE attribute are for apps, too. */
class ResultRows {
  readonly #builder: SampleBuilder;
  readonly #send: EvaluatedGroup['send'];
  readonly #isEarly: boolean;
  #rows: EventSample;

  constructor(builder: SampleBuilder, now: number, send: EvaluatedGroup['send']) {
    this.#builder = builder;
    this.#isEarly = builder.reported.isEarly(now);
    this.#send = send;
    this.#rows = new EventSample(builder.columns);
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  add({ values }: Draft): void {
    const { columns, reported } = this.#builder;
    for (const column of columns.columnOf) {
      if (!values.holds(column)) continue;
      const isWatched = columns.layout.columns[column]!.onChange && !this.#isEarly;
      const isDue = isWatched && reported.isNews(column, values);
      if (isDue) reported.note(column, values);
      this.#rows.add(column, values, isDue);
    }
  }

  send(now: number): void {
    if (this.isEmpty) return;
    if (this.#rows.hasDue) this.#builder.reported.noteEvents(now);
    this.#send(this.#rows.finish(now));
    this.#rows = new EventSample(this.#builder.columns);
  }
}

/** Whether a whole sample says it best: every point was stored. */
function isImage({ columns }: SampleBuilder, { values }: Draft): boolean {
  return columns.columnOf.every((column) => values.holds(column));
}
