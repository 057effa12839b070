import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../../context.ts';
import type { Report, Watch } from '../../driver.ts';
import { Fault } from '../../fault.ts';
import type { Point } from '../../point.ts';
import { ColumnValues, type ValueOrFault } from './column-values.ts';
import { EventSample } from './event-sample.ts';
import type { SampleData } from '../channel/protocol.ts';
import type { SampleBuilder } from './sample-builder.ts';
import type { SampleOutlet } from './sample-outlet.ts';

const notReady = new Fault(ErrorCode.NOT_READY, 'The device has not reported this tag yet.');
const none: readonly never[] = Object.freeze([]);

/** How long events are gathered into one sample, in milliseconds. */
const gatherTime = 10;

/** Most events of one sample: a larger burst is sent as several samples, so that `send` can report that the outlet is full. */
const mostEvents = 10_000;

/** Some points of a group, to be read by themselves: those that a watch does not push, or that were written. */
export interface Part {
  /** Among the points of the group; for those that are polled the `polled` of the watch. */
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
  /** Everything that was set since the last `send`, in order. */
  readonly #staged = {
    indices: [] as number[],
    values: [] as ValueOrFault[],
    times: [] as number[],
    qualities: [] as number[],
  };
  /** Of each point the index of its latest entry in `#staged`, or -1. */
  readonly #stagedAt: Int32Array;
  /**
   * The last reported value of each column, unscaled, so that a new `decimal` of a tag applies at once. Undefined once a read has brought
   * another value.
   */
  #unscaled!: (ValueOrFault | undefined)[];
  #isEvent!: Uint8Array;
  /** Of each column, the number of the push that set it last. */
  #pushedAt!: Float64Array;
  #pushes = 0;
  #events!: EventSample;
  /** The pace of the group keeps the events that are gathered from apps. */
  #isEarly = false;
  #timer: Disposable | undefined;
  #watch: Watch | undefined;
  #polled: Part;
  #ended = false;

  constructor(builder: SampleBuilder, outlet: SampleOutlet<SampleData>, clock: Clock) {
    this.#outlet = outlet;
    this.#clock = clock;
    this.#stagedAt = new Int32Array(builder.points.length).fill(-1);
    this.#begin(builder);
    this.#polled = partOf(none, builder);
  }

  /** Begins with empty values for this version of the group. */
  #begin(builder: SampleBuilder): void {
    const { columns } = builder;
    this.#builder = builder;
    this.#unscaled = new Array<ValueOrFault | undefined>(columns.count);
    this.#values = emptyValues(builder);
    this.#pushedAt = new Float64Array(columns.count);
    this.#isEvent = marksOf(columns.onChange, columns.count);
    this.#events = new EventSample(columns);
  }

  /** Goes on with another version of the group that has the same points. */
  rebuild(builder: SampleBuilder): void {
    this.flush();
    const before = this.#values;
    const unscaledBefore = this.#unscaled;
    const earlier = this.#builder.columns;
    const { columns } = builder;
    this.#begin(builder);
    this.#polled = partOf(this.#polled.indices, builder);
    for (const [index, column] of columns.columnOf.entries()) {
      const old = earlier.columnOf[index]!;
      const unscaled = unscaledBefore[old];
      this.#unscaled[column] = unscaled;
      if (columns.storesAlike(column, earlier, old) || before.faultOf(old, notReady) !== undefined) {
        this.#values.take(column, before, notReady, old);
      } else if (unscaled !== undefined) {
        this.#values.set(column, unscaled);
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

  /** Nothing is taken after this. */
  end(): void {
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** How often something was pushed so far. */
  get pushes(): number {
    return this.#pushes;
  }

  /** The points to read at a tick, the same object until they change. */
  get polled(): Part {
    const indices = this.#watch?.polled ?? none;
    if (indices !== this.#polled.indices) this.#polled = partOf(indices, this.#builder);
    return this.#polled;
  }

  /** Points of the group to read by themselves. */
  partOf(indices: readonly number[]): Part {
    return partOf(indices, this.#builder);
  }

  /** Whether the device pushes this point. */
  isPushed(index: number): boolean {
    return this.polled.marks[this.#builder.columns.columnOf[index]!] === 0;
  }

  /** The latest of each column. */
  get values(): ColumnValues {
    return this.#values;
  }

  /** Takes the values of a read for these columns, except where a newer value was pushed since the read began, at `since` pushes. */
  merge(read: ColumnValues, columns: Uint32Array, since: number, missing: Fault): void {
    const { marks } = this.polled;
    for (const column of columns) {
      if (this.#pushedAt[column]! > since) continue;
      // Pushed values stay when a read on demand fails.
      if (!read.holds(column) && marks[column] === 0) continue;
      this.#values.take(column, read, missing);
      this.#unscaled[column] = undefined;
    }
  }

  /** The link is lost: all points carry the fault until they are reported again. */
  lose(fault: Fault): void {
    this.#unscaled.fill(undefined);
    for (const column of this.#builder.columns.columnOf) this.#values.fault(column, fault);
  }

  /**
   * The link is still down, for another reason than `earlier`: points that nothing was reported of carry the fault. Whether any of them
   * did not carry such a fault yet.
   */
  stayDown(fault: Fault, earlier: Fault | undefined): boolean {
    let isNew = false;
    for (const column of this.#builder.columns.columnOf) {
      const now = this.#values.faultOf(column, notReady);
      if (now === undefined || (now !== notReady && now !== earlier)) continue;
      isNew ||= now === notReady;
      this.#values.fault(column, fault);
    }
    return isNew;
  }

  /** The link is restored: points that were not reported yet are NOT_READY. */
  regain(down: Fault): void {
    for (const column of this.#builder.columns.columnOf)
      if (this.#values.faultOf(column, notReady) === down) this.#values.fault(column, notReady);
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
    // Bytes are copied; other values are refused by `#take`.
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
    const { indices, values, times, qualities } = this.#staged;
    this.#pushes++;
    for (let at = 0; at < indices.length; at++) {
      const index = indices[at]!;
      this.#stagedAt[index] = -1;
      this.#take(index, values[at]!, times[at]!, qualities[at]!, every);
      if (this.#events.length >= mostEvents) this.flush();
    }
    indices.length = values.length = times.length = qualities.length = 0;
    if (this.#events.length > 0) this.#timer ??= this.#clock.timer(gatherTime, () => this.flush());
    return this.#outlet.hasRoom;
  }

  get drained(): Promise<void> {
    return this.#outlet.drained;
  }

  /** Sends the gathered events. The first sample of a layout is a whole one, which has their values. */
  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#events.length === 0) return;
    const events = this.#events;
    this.#events = new EventSample(this.#builder.columns);
    const isFirst = !this.#builder.reported.hasBegun;
    if (isFirst) this.sendWhole();
    if (isFirst && !events.hasRepeats) return;
    if (events.hasDue) this.#builder.reported.noteEvents(this.#clock.now());
    this.#outlet.push(events.finish(this.#clock.now()));
  }

  /** Sends a whole sample of the present values. */
  sendWhole(): SampleData {
    this.flush();
    const sample = this.#builder.snapshot(this.#values, this.#clock.now());
    this.#outlet.push(sample);
    return sample;
  }

  #stage(index: number, value: ValueOrFault): void {
    if (this.#ended || this.#stagedAt[index] === undefined) return;
    const { indices, times, qualities } = this.#staged;
    this.#stagedAt[index] = indices.length;
    indices.push(index);
    this.#staged.values.push(value);
    times.push(NaN);
    qualities.push(0);
  }

  #take(index: number, value: ValueOrFault, time: number, quality: number, every: boolean): void {
    const { columns, reported } = this.#builder;
    const column = columns.columnOf[index]!;
    this.#unscaled[column] = value;
    this.#values.set(column, value);
    this.#values.stamp(column, time, quality);
    this.#pushedAt[column] = this.#pushes;
    if (this.#isEvent[column] === 0) return;
    if (this.#events.length === 0) this.#isEarly = reported.isEarly(this.#clock.now());
    const isNews = (every && !reported.hasDeadband(column)) || reported.isNews(column, this.#values);
    // Deadbands and the pace of a group decide what apps get. Reads and inputs get the other values, too.
    if (!isNews && !reported.holdsBack(column)) return;
    const isDue = isNews && !this.#isEarly;
    if (isDue) reported.note(column, this.#values);
    this.#events.add(column, this.#values, isDue);
  }
}

function partOf(indices: readonly number[], { columns, points }: SampleBuilder): Part {
  const known = indices.filter((index) => points[index] !== undefined);
  const polled = Uint32Array.from(known, (index) => columns.columnOf[index]!);
  return {
    indices,
    points: Object.freeze(known.map((index) => points[index]!)),
    columns: polled,
    marks: marksOf(polled, columns.count),
  };
}

function emptyValues(builder: SampleBuilder): ColumnValues {
  const values = new ColumnValues(builder.columns);
  builder.fillStatics(values);
  for (const column of builder.columns.columnOf) values.fault(column, notReady);
  return values;
}

/** 1 for each of these columns. */
function marksOf(columns: Iterable<number>, count: number): Uint8Array {
  const marks = new Uint8Array(count);
  for (const column of columns) marks[column] = 1;
  return marks;
}
