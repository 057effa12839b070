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

/** The latest values of a group whose driver pushes them, and the events that follow from them. It lives as long as its watch. */
export class PushedPoints implements Report {
  #values: ColumnValues;
  #builder: SampleBuilder;
  readonly #outlet: SampleOutlet<SampleData>;
  readonly #clock: Clock;
  /** What was set since the last `send`, in order. */
  readonly #staged = {
    indices: [] as number[],
    given: [] as Given[],
    times: [] as number[],
    qualities: [] as number[],
  };
  /** What each point was reported as last, unscaled: another decimal of the tag must not wait for the next report. */
  readonly #given: (Given | undefined)[];
  #isEvent: Uint8Array;
  /** Of each column, the number of the push that set it last. */
  #pushedAt: Float64Array;
  #pushes = 0;
  #events: EventSample;
  #timer: Disposable | undefined;
  #watch: Watch | undefined;
  #polled: readonly number[] = none;
  #polledColumns = new Uint32Array(0);
  #polledPoints: readonly Point[] = none;
  #ended = false;
  /** Whether a whole sample of this version was sent. */
  #wholeSent = false;

  constructor(builder: SampleBuilder, outlet: SampleOutlet<SampleData>, clock: Clock) {
    this.#outlet = outlet;
    this.#clock = clock;
    this.#given = new Array<Given | undefined>(builder.points.length);
    this.#builder = builder;
    this.#values = emptyValues(builder);
    this.#pushedAt = new Float64Array(builder.columns.count);
    this.#isEvent = eventColumns(builder);
    this.#events = new EventSample(builder.columns);
  }

  /** What every column holds now. */
  get values(): ColumnValues {
    return this.#values;
  }

  /** Goes on with another version of the group that has the same points. */
  rebuild(builder: SampleBuilder): void {
    this.flush();
    const before = this.#values;
    const { columnOf: columnBefore } = this.#builder.columns;
    this.#builder = builder;
    this.#values = emptyValues(builder);
    this.#pushedAt = new Float64Array(builder.columns.count);
    this.#isEvent = eventColumns(builder);
    this.#events = new EventSample(builder.columns);
    this.#polled = none;
    this.#wholeSent = false;
    this.#given.forEach((given, index) => {
      const column = builder.columns.columnOf[index];
      const old = columnBefore[index];
      if (given === undefined || column === undefined || old === undefined) return;
      this.#values.set(column, given);
      this.#values.stamp(column, before.timeOf(old), before.qualityOf(old));
    });
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

  /** The points that are to be read at a tick, the same array until it changes. */
  get polledPoints(): readonly Point[] {
    this.#look();
    return this.#polledPoints;
  }

  /** Their columns. */
  get polledColumns(): Uint32Array {
    this.#look();
    return this.#polledColumns;
  }

  /** Takes what a read brought of the given columns, unless something newer was pushed since it began at `since`. */
  merge(read: ColumnValues, columns: Uint32Array, since: number, missing: Fault): void {
    const polled = new Set(this.polledColumns);
    for (const column of columns) {
      if ((this.#pushedAt[column] as number) > since) continue;
      // A read on demand that fails says nothing against what is pushed.
      if (read.holds(column) || polled.has(column)) this.#values.take(column, read, missing);
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
    this.#stage(index, new Uint8Array(value));
  }

  fault(index: number, fault: Fault): void {
    this.#stage(index, fault);
  }

  stamp(index: number, time: number, quality = 0): void {
    const { indices, times, qualities } = this.#staged;
    const at = indices.lastIndexOf(index);
    if (at < 0) return;
    times[at] = time;
    qualities[at] = quality;
  }

  send({ every = false }: { readonly every?: boolean } = {}): boolean {
    const { indices, given, times, qualities } = this.#staged;
    this.#pushes++;
    for (let at = 0; at < indices.length; at++)
      this.#take(
        indices[at] as number,
        given[at] as Given,
        times[at] as number,
        qualities[at] as number,
        every,
      );
    indices.length = given.length = times.length = qualities.length = 0;
    if (!this.#events.isEmpty) this.#timer ??= this.#clock.timer(gatherTime, () => this.flush());
    return this.#outlet.hasRoom;
  }

  get drained(): Promise<void> {
    return this.#outlet.drained;
  }

  /** Sends the events that were gathered. The first sample of a layout is a whole one, which says what single events would. */
  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#events.isEmpty) return;
    const events = this.#events;
    this.#events = new EventSample(this.#builder.columns);
    const isFirst = !this.#wholeSent;
    if (isFirst) this.sendWhole();
    if (!isFirst || events.hasRepeats) this.#outlet.push(events.finish(this.#clock.now()));
  }

  /** Sends all that is known now. */
  sendWhole(): SampleData {
    this.flush();
    this.#wholeSent = true;
    const sample = this.#builder.snapshot(this.#values, this.#clock.now());
    this.#outlet.push(sample);
    return sample;
  }

  #stage(index: number, given: Given): void {
    if (this.#ended || this.#builder.columns.columnOf[index] === undefined) return;
    const { indices, times, qualities } = this.#staged;
    indices.push(index);
    this.#staged.given.push(given);
    times.push(NaN);
    qualities.push(0);
  }

  #take(index: number, given: Given, time: number, quality: number, every: boolean): void {
    const { columns, reported } = this.#builder;
    const column = columns.columnOf[index] as number;
    this.#given[index] = given;
    this.#values.set(column, given);
    this.#values.stamp(column, time, quality);
    this.#pushedAt[column] = this.#pushes;
    if (this.#isEvent[column] === 0) return;
    if (!every && !reported.isNews(column, this.#values)) return;
    reported.note(column, this.#values);
    this.#events.add(column, this.#values);
  }

  #look(): void {
    const polled = this.#watch?.polled ?? none;
    if (polled === this.#polled) return;
    const { columnOf } = this.#builder.columns;
    const known = polled.filter((index) => columnOf[index] !== undefined);
    this.#polled = polled;
    this.#polledColumns = Uint32Array.from(known, (index) => columnOf[index] as number);
    this.#polledPoints = Object.freeze(known.map((index) => this.#builder.points[index] as Point));
  }
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
