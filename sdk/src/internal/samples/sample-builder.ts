import { DataType, ErrorCode } from '@tagway/schemas';
import { Fault } from '../../fault.ts';
import type { Point } from '../../point.ts';
import type { Layout, Reasons, Sample } from '../../sample.ts';
import { ColumnValues, type ValueOrFault } from './column-values.ts';
import { Draft } from './draft.ts';
import { GroupColumns } from './group-columns.ts';
import type { GroupConfig, RunnerTag, SampleData } from '../channel/protocol.ts';
import { ReportPace } from './report-pace.ts';
import { Reported } from './reported.ts';
import { roundTo } from './rounding.ts';
import { WrittenValues } from './written-values.ts';

const notReported = new Fault(ErrorCode.READ_FAILED, 'The driver gave no value for this tag.');

/** Most sentences in one sample; further faults have only their codes. */
const mostTexts = 1000;

type Arrays = Pick<ColumnValues, 'numbers' | 'integers' | 'objects' | 'timestamps' | 'qualities'>;

/** Makes samples of the values that a driver reads or pushes, for one version of a group. */
export class SampleBuilder {
  readonly columns: GroupColumns;
  readonly reported: Reported;
  readonly written = new WrittenValues();
  readonly #statics: readonly (readonly [column: number, value: ValueOrFault])[];
  /** Values of an earlier reading, which nobody holds any more. */
  #spare: ColumnValues | undefined;

  constructor(config: GroupConfig, earlier?: SampleBuilder) {
    const pace = new ReportPace(config);
    this.columns = new GroupColumns(config, earlier?.columns, pace.isOnChange);
    this.reported = new Reported(this.columns, pace);
    this.#statics = this.columns.statics.map((column) => [
      column,
      staticValue(config.tags[column]!) ?? notReported,
    ]);
  }

  get layout(): Layout {
    return this.columns.layout;
  }

  /** The points that the driver is asked for, frozen. */
  get points(): readonly Point[] {
    return this.columns.points;
  }

  /** Begins a reading of all points, or of those of the given columns. */
  draft(columnOf?: Uint32Array): Draft {
    const values = this.#spare ?? new ColumnValues(this.columns);
    this.#spare = undefined;
    return columnOf === undefined
      ? new Draft(values, this.columns.columnOf, this.columns.plainPlaces)
      : new Draft(values, columnOf, new Int32Array(0));
  }

  /** Takes the values of a finished reading, whose sample has left, for the next: new arrays for every sample cost time and memory. */
  reuse(values: ColumnValues): void {
    values.clear();
    this.#spare = values;
  }

  /** The sample of a read. Empty columns get the fault `missing`. The sample takes over the arrays of the values. */
  finish(values: ColumnValues, timestamp: number, missing: Fault = notReported): SampleData {
    this.fillStatics(values);
    return this.#report(values, timestamp, missing, values);
  }

  /** A whole sample of which apps get news of points with the SUBSCRIBE attribute alone. The sample takes over the arrays of the values. */
  image(values: ColumnValues, timestamp: number): SampleData {
    this.fillStatics(values);
    const due = this.reported.markNews(values, timestamp);
    const image = this.#finish(values, timestamp, notReported, values, due);
    return due === undefined ? { ...image, forCache: true } : image;
  }

  /** A sample of values that go on changing, static ones included: its arrays are copies. */
  snapshot(values: ColumnValues, timestamp: number, missing: Fault = notReported): SampleData {
    const { numbers, integers, objects, timestamps, qualities } = values;
    const copies = {
      numbers: numbers.slice(),
      integers: integers.slice(),
      objects: [...objects],
      timestamps: timestamps?.slice(),
      qualities: qualities?.slice(),
    };
    return this.#report(values, timestamp, missing, copies);
  }

  /** A sample in which every polled point carries the same fault. */
  failed(fault: Fault, timestamp: number): SampleData {
    return this.finish(new ColumnValues(this.columns), timestamp, fault);
  }

  fillStatics(values: ColumnValues): void {
    for (const [column, value] of this.#statics) values.set(column, value);
  }

  /** A whole sample for apps, or for the cache alone when the pace of the group says so. */
  #report(values: ColumnValues, timestamp: number, missing: Fault, arrays: Arrays): SampleData {
    if (!this.reported.isEarly(timestamp))
      return this.#finish(values, timestamp, missing, arrays, this.reported.mark(values, timestamp));
    return { ...this.#finish(values, timestamp, missing, arrays, undefined), forCache: true };
  }

  #finish(
    values: ColumnValues,
    timestamp: number,
    missing: Fault,
    { numbers, integers, objects, timestamps, qualities }: Arrays,
    due: Uint8Array | undefined,
  ): SampleData {
    const { group, layout } = this.columns;
    for (const column of this.columns.rounded) {
      const { place, precision } = layout.columns[column]!;
      numbers[place] = roundTo(numbers[place]!, precision);
    }
    return {
      group,
      version: layout.version,
      timestamp,
      numbers,
      integers,
      objects,
      ...this.#faultsOf(values, missing),
      ...(due && { due }),
      ...(timestamps && { timestamps }),
      ...(qualities && { qualities }),
    };
  }

  #faultsOf(values: ColumnValues, missing: Fault): Pick<Sample, 'faults' | 'reasons'> {
    if (values.isWhole) return { faults: noFaults };
    const list = new FaultList();
    for (let column = 0; column < this.columns.count; column++) {
      const fault = values.faultOf(column, missing);
      if (fault !== undefined) list.add(column, fault);
    }
    return list.end();
  }
}

const noFaults = new Int32Array(0);

/** The faults of one sample, in ascending order of their columns or rows. */
export class FaultList {
  readonly #pairs: number[] = [];
  readonly #indices: number[] = [];
  readonly #texts: string[] = [];
  readonly #known = new Map<string, number>();
  #last: { readonly fault: Fault; readonly index: number } | undefined;

  add(at: number, fault: Fault): void {
    if (this.#last?.fault !== fault) this.#last = { fault, index: this.#textOf(fault.message) };
    this.#pairs.push(at, fault.code);
    this.#indices.push(this.#last.index);
  }

  end(): Pick<Sample, 'faults' | 'reasons'> {
    if (this.#pairs.length === 0) return { faults: noFaults };
    const reasons: Reasons = { texts: this.#texts, indices: Uint16Array.from(this.#indices) };
    return { faults: Int32Array.from(this.#pairs), reasons };
  }

  #textOf(text: string): number {
    let index = this.#known.get(text);
    if (index === undefined) {
      index = this.#texts.length;
      if (index === mostTexts) this.#texts.push('');
      if (index >= mostTexts) return mostTexts;
      this.#texts.push(text);
      this.#known.set(text, index);
    }
    return index;
  }
}

/** The value of a static tag as a driver would give it. */
function staticValue({ value, type }: RunnerTag): ValueOrFault | undefined {
  if (value === undefined) return undefined;
  if (type === DataType.INT64 || type === DataType.UINT64) return BigInt(value as number | bigint);
  if (type === DataType.BYTES) return Uint8Array.from(value as readonly number[]);
  return type === DataType.STRING ? (value as string) : Number(value);
}

/** A sample that came from another process, with its layout. */
export function sampleOf(
  { group: _group, version: _version, forCache: _forCache, way: _way, ...rest }: SampleData,
  layout: Layout,
): Sample {
  return { layout, ...rest };
}

/** A sample for another process, which knows its layout by the number of the group and the version. */
export function dataOf({ layout, ...rest }: Sample, group: number): SampleData {
  return { group, version: layout.version, ...rest };
}
