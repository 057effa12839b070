import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../context.ts';
import type { Report, Watch } from '../driver.ts';
import { Fault } from '../fault.ts';
import type { Point } from '../point.ts';
import { ColumnValues, type Given } from './column-values.ts';
import { EventSample } from './event-sample.ts';
import type { SampleData } from './protocol.ts';
import type { SampleBuilder } from './sample-builder.ts';
import type { SampleOutlet } from './sample-outlet.ts';

const notReady = new Fault(ErrorCode.NOT_READY, 'The device has not reported this tag yet.');
const none: readonly never[] = Object.freeze([]);

/** How long events are gathered into one sample, in milliseconds. */
const gatherTime = 10;

/** Most events of one sample: a burst within the gathering time leaves in several, so that `send` can say when it is enough. */
const mostEvents = 10_000;

/** What a watch leaves to polling. */
interface PolledPart {
  /** As the watch said it. */
  readonly indices: readonly number[];
  /** The same array until it changes. */
  readonly points: readonly Point[];
  readonly columns: Uint32Array;
  /** 1 for each of these columns. */
  readonly marks: Uint8Array;
}

/** The latest values of a group whose driver pushes them, and the events that follow from them. It lives as long as its watch. */
export class PushedPoints implements Report {
  #values!: ColumnValues;
  #builder!: SampleBuilder;
  readonly #outlet: SampleOutlet<SampleData>;
  readonly #clock: Clock;
  /** What was set since the last `send`, in order. */
  readonly #staged = {
    indices: [] as number[],
    given: [] as Given[],
    times: [] as number[],
    qualities: [] as number[],
  };
  /** Where the latest of each point is among what is staged, or -1. */
  readonly #stagedAt: Int32Array;
  /**
   * What each column was reported as last, unscaled, so that another decimal of the tag need not wait for the next report. Nothing once
   * a read has brought another value.
   */
  #given!: (Given | undefined)[];
  #isEvent!: Uint8Array;
  /** Of each column, the number of the push that set it last. */
  #pushedAt!: Float64Array;
  #pushes = 0;
  #events!: EventSample;
  #timer: Disposable | undefined;
  #watch: Watch | undefined;
  #polled: PolledPart;
  #ended = false;

  constructor(builder: SampleBuilder, outlet: SampleOutlet<SampleData>, clock: Clock) {
    this.#outlet = outlet;
    this.#clock = clock;
    this.#stagedAt = new Int32Array(builder.points.length).fill(-1);
    this.#begin(builder);
    this.#polled = partOf(none, builder);
  }

  /** Knows nothing yet of the columns of this version of the group. */
  #begin(builder: SampleBuilder): void {
    const { columns } = builder;
    this.#builder = builder;
    this.#given = new Array<Given | undefined>(columns.count);
    this.#values = emptyValues(builder);
    this.#pushedAt = new Float64Array(columns.count);
    this.#isEvent = eventColumns(builder);
    this.#events = new EventSample(columns);
  }

  /** Goes on with another version of the group that has the same points. */
  rebuild(builder: SampleBuilder): void {
    this.flush();
    const before = this.#values;
    const givenBefore = this.#given;
    const earlier = this.#builder.columns;
    const { columns } = builder;
    this.#begin(builder);
    this.#polled = partOf(this.#polled.indices, builder);
    for (const [index, column] of columns.columnOf.entries()) {
      const old = earlier.columnOf[index] as number;
      const given = givenBefore[old];
      this.#given[column] = given;
      if (columns.storesAlike(column, earlier, old) || before.faultOf(old, notReady) !== undefined) {
        this.#values.take(column, before, notReady, old);
      } else if (given !== undefined) {
        this.#values.set(column, given);
        this.#values.stamp(column, before.timeOf(old), before.qualityOf(old));
      }
    }
  }

  get watch(): Watch | undefined {
    return this.#watch;
  }

  begin(watch: Watch): void {
    this.#watch = watch;
  }

  /** Nothing is taken from here on. */
  end(): void {
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** How often something was pushed so far. */
  get pushes(): number {
    return this.#pushes;
  }

  /** What is to be read at a tick, the same object until it changes. */
  get polled(): PolledPart {
    const indices = this.#watch?.polled ?? none;
    if (indices !== this.#polled.indices) this.#polled = partOf(indices, this.#builder);
    return this.#polled;
  }

  /** Takes what a read brought of the given columns, unless something newer was pushed since it began at `since`. */
  merge(read: ColumnValues, columns: Uint32Array, since: number, missing: Fault): void {
    const { marks } = this.polled;
    for (const column of columns) {
      if ((this.#pushedAt[column] as number) > since) continue;
      // A read on demand that fails says nothing against what is pushed.
      if (!read.holds(column) && marks[column] === 0) continue;
      this.#values.take(column, read, missing);
      this.#given[column] = undefined;
    }
  }

  /** The link is gone: all points carry the fault until they are reported again. */
  lose(fault: Fault): void {
    this.#given.fill(undefined);
    for (const column of this.#builder.columns.columnOf) this.#values.fault(column, fault);
  }

  /** The link is there again: what was not reported yet is not ready. */
  regain(lost: Fault): void {
    for (const column of this.#builder.columns.columnOf)
      if (this.#values.faultOf(column, notReady) === lost) this.#values.fault(column, notReady);
  }

  number(index: number, value: number): void {
    this.#stage(index, value);
  }

  integer(index: number, value: bigint): void {
    this.#stage(index, value);
  }

  text(index: number, value: string): void {
    this.#stage(index, value);
  }

  bytes(index: number, value: Uint8Array): void {
    // A copy of what is bytes; what is not is refused when it is taken.
    this.#stage(index, value instanceof Uint8Array ? new Uint8Array(value) : value);
  }

  fault(index: number, fault: Fault): void {
    this.#stage(index, fault);
  }

  stamp(index: number, time: number, quality = 0): void {
    const at = this.#stagedAt[index] ?? -1;
    if (at < 0) return;
    this.#staged.times[at] = time;
    this.#staged.qualities[at] = quality;
  }

  send({ every = false }: { readonly every?: boolean } = {}): boolean {
    if (this.#ended) return this.#outlet.hasRoom;
    const { indices, given, times, qualities } = this.#staged;
    this.#pushes++;
    for (let at = 0; at < indices.length; at++) {
      const index = indices[at] as number;
      this.#stagedAt[index] = -1;
      this.#take(index, given[at] as Given, times[at] as number, qualities[at] as number, every);
      if (this.#events.length >= mostEvents) this.flush();
    }
    indices.length = given.length = times.length = qualities.length = 0;
    if (this.#events.length > 0) this.#timer ??= this.#clock.timer(gatherTime, () => this.flush());
    return this.#outlet.hasRoom;
  }

  get drained(): Promise<void> {
    return this.#outlet.drained;
  }

  /** Sends the events that were gathered. The first sample of a layout is a whole one, which says what single events would. */
  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#events.length === 0) return;
    const events = this.#events;
    this.#events = new EventSample(this.#builder.columns);
    const isFirst = !this.#builder.reported.hasBegun;
    if (isFirst) this.sendWhole();
    if (!isFirst || events.hasRepeats) this.#outlet.push(events.finish(this.#clock.now()));
  }

  /** Sends all that is known now. */
  sendWhole(): SampleData {
    this.flush();
    const sample = this.#builder.snapshot(this.#values, this.#clock.now());
    this.#outlet.push(sample);
    return sample;
  }

  #stage(index: number, given: Given): void {
    if (this.#ended || this.#stagedAt[index] === undefined) return;
    const { indices, times, qualities } = this.#staged;
    this.#stagedAt[index] = indices.length;
    indices.push(index);
    this.#staged.given.push(given);
    times.push(NaN);
    qualities.push(0);
  }

  #take(index: number, given: Given, time: number, quality: number, every: boolean): void {
    const { columns, reported } = this.#builder;
    const column = columns.columnOf[index] as number;
    this.#given[column] = given;
    this.#values.set(column, given);
    this.#values.stamp(column, time, quality);
    this.#pushedAt[column] = this.#pushes;
    if (this.#isEvent[column] === 0) return;
    if (!every && !reported.isNews(column, this.#values)) return;
    reported.note(column, this.#values);
    this.#events.add(column, this.#values);
  }
}

function partOf(indices: readonly number[], { columns, points }: SampleBuilder): PolledPart {
  const known = indices.filter((index) => points[index] !== undefined);
  const marks = new Uint8Array(columns.count);
  const polled = Uint32Array.from(known, (index) => columns.columnOf[index] as number);
  for (const column of polled) marks[column] = 1;
  return {
    indices,
    points: Object.freeze(known.map((index) => points[index] as Point)),
    columns: polled,
    marks,
  };
}

function emptyValues(builder: SampleBuilder): ColumnValues {
  const values = new ColumnValues(builder.columns);
  builder.fillStatics(values);
  for (const column of builder.columns.columnOf) values.fault(column, notReady);
  return values;
}

/** 1 where changes leave as events. */
function eventColumns({ columns }: SampleBuilder): Uint8Array {
  const marks = new Uint8Array(columns.count);
  for (const column of columns.onChange) marks[column] = 1;
  return marks;
}
