import type { Fault } from '../../fault.ts';
import type { Layout, Sample } from '../../sample.ts';
import type { SampleData } from '../channel/protocol.ts';
import type { Draft } from '../samples/draft.ts';
import { EventSample } from '../samples/event-sample.ts';
import { InputValues } from '../samples/input-values.ts';
import type { SampleBuilder } from '../samples/sample-builder.ts';
import { SampleQueue } from '../samples/sample-queue.ts';

/** Bytes of samples held for a group that is still being read. */
const queueBytes = 16_000_000;

/** A sample with the number of its group. */
interface Arrival extends Sample {
  readonly from: number;
}

/** What an evaluation does with its driver and its results. */
export interface EvaluationSurroundings {
  /** Calls the driver's `read` for new inputs; resolves with the fault of the call as a whole, if it has one. */
  read(draft: Draft): Promise<Fault | undefined>;
  /** Whether the driver runs. */
  isRunning(): boolean;
  builder(): SampleBuilder;
  now(): number;
  /** Whether the sample was sent at once. */
  send(sample: SampleData): boolean;
  /** A sample was dropped because newer ones did not fit. */
  dropped(sample: Sample): void;
}

/** The present samples of groups that are read, by their numbers. */
export type PresentSamples = ReadonlyMap<number, Sample>;

/** The inputs of one group of a driver with inputs, and what follows from each of their samples. */
export class Evaluation {
  #inputs: InputValues;
  readonly #with: EvaluationSurroundings;
  readonly #queue: SampleQueue<Arrival>;

  constructor(surroundings: EvaluationSurroundings) {
    this.#with = surroundings;
    this.#queue = new SampleQueue(queueBytes, {
      versionOf: ({ layout }) => layout.version,
      dropped: (sample) => surroundings.dropped(sample),
    });
    this.#inputs = new InputValues(surroundings.builder().points);
  }

  get inputs(): InputValues {
    return this.#inputs;
  }

  /** The points of the group are others. */
  repoint(): void {
    const before = this.#inputs;
    this.#inputs = new InputValues(this.#with.builder().points);
    this.#inputs.adopt(before);
  }

  /** Takes what is read now, of which `present` are the samples. Whether any input is another one than before. */
  connect(layouts: ReadonlyMap<number, Layout>, present: PresentSamples): boolean {
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

  async #evaluateOne(group: number, sample: Sample): Promise<void> {
    const surroundings = this.#with;
    const builder = surroundings.builder();
    // The first sample of a layout is a whole one, which the group then reads.
    const isSent = builder.reported.hasBegun;
    const rows = new ResultRows(builder, surroundings);
    let from = 0;
    do {
      from = this.#inputs.take(group, sample, from);
      if (this.#inputs.fresh.length === 0 || !surroundings.isRunning()) continue;
      const draft = builder.draft();
      const fault = await surroundings.read(draft);
      // The group has changed meanwhile and is read anew.
      if (builder !== surroundings.builder()) return;
      if (!isSent) continue;
      if (fault !== undefined) {
        rows.send();
        surroundings.send(builder.finish(draft.values, surroundings.now(), fault));
      } else if (rows.isEmpty && isImage(builder, draft)) {
        const image = builder.image(draft.values, surroundings.now());
        if (surroundings.send({ ...image, forCache: true })) builder.reuse(draft.values);
      } else {
        rows.add(draft);
        builder.reuse(draft.values);
      }
    } while (from > 0);
    rows.send();
  }
}

/** What some points became, in order: of points with the SUBSCRIBE attribute for apps, too. */
class ResultRows {
  readonly #builder: SampleBuilder;
  readonly #with: EvaluationSurroundings;
  #events: EventSample;
  #others: EventSample;

  constructor(builder: SampleBuilder, surroundings: EvaluationSurroundings) {
    this.#builder = builder;
    this.#with = surroundings;
    this.#events = new EventSample(builder.columns);
    this.#others = new EventSample(builder.columns);
  }

  get isEmpty(): boolean {
    return this.#events.length + this.#others.length === 0;
  }

  add({ values }: Draft): void {
    const { columns, reported } = this.#builder;
    for (const column of columns.columnOf) {
      if (!values.holds(column)) continue;
      const isNews = columns.layout.columns[column]!.onChange && reported.isNews(column, values);
      if (isNews) reported.note(column, values);
      (isNews ? this.#events : this.#others).add(column, values);
    }
  }

  send(): void {
    const now = this.#with.now();
    if (this.#others.length > 0) this.#with.send({ ...this.#others.finish(now), forCache: true });
    if (this.#events.length > 0) this.#with.send(this.#events.finish(now));
    this.#events = new EventSample(this.#builder.columns);
    this.#others = new EventSample(this.#builder.columns);
  }
}

/** Whether a whole sample says it best: every point was stored, and none is reported to apps at once. */
function isImage({ columns }: SampleBuilder, { values }: Draft): boolean {
  return columns.onChange.length === 0 && columns.columnOf.every((column) => values.holds(column));
}
