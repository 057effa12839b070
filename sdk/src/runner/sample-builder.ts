import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { isFault } from '../fault.ts';
import type { Outcome, Point } from '../point.ts';
import { type Column, type Layout, placesOf, type Sample, Store, storeOf } from '../sample.ts';
import type { GroupConfig, RunnerTag } from './protocol.ts';
import { isNumeric } from '../value.ts';

/** The layout of a group's samples, from its readable tags in order. */
export function layoutOf(version: number, node: string, group: string, tags: readonly RunnerTag[]): Layout {
  const columns: Column[] = tags.map((tag) => ({
    name: tag.name,
    type: tag.type,
    precision: tag.precision,
    scaled: isScaled(tag),
    onChange: (tag.attribute & Attribute.SUBSCRIBE) !== 0,
  }));
  return { version, node, group, columns };
}

export function isScaled(tag: Pick<RunnerTag, 'type' | 'decimal' | 'bias'>): boolean {
  return isNumeric(tag.type) && (tag.decimal !== 0 || tag.bias !== 0);
}

/** Whether a tag's column is filled by the driver, not by a fixed value. */
export function isPolled(tag: Pick<RunnerTag, 'attribute'>): boolean {
  return (tag.attribute & Attribute.STATIC) === 0;
}

/** Which typeof a driver's outcome must have; BIT also takes a boolean. */
const kinds: Readonly<Record<DataType, string>> = {
  [DataType.INT8]: 'number',
  [DataType.UINT8]: 'number',
  [DataType.INT16]: 'number',
  [DataType.UINT16]: 'number',
  [DataType.INT32]: 'number',
  [DataType.UINT32]: 'number',
  [DataType.INT64]: 'bigint',
  [DataType.UINT64]: 'bigint',
  [DataType.FLOAT]: 'number',
  [DataType.DOUBLE]: 'number',
  [DataType.BIT]: 'number',
  [DataType.BOOL]: 'boolean',
  [DataType.STRING]: 'string',
  [DataType.BYTES]: 'object',
};

/**
 * Turns a driver's outcomes into samples of one group: checks their types, scales them, fills in static values and marks what
 * changed. It belongs to one version of the group.
 */
export class SampleBuilder {
  readonly config: GroupConfig;
  /** The polled points, frozen, in the order of the outcomes. */
  readonly points: readonly Point[];
  readonly #columns: readonly Column[];
  readonly #places: Uint32Array;
  readonly #stores: Uint8Array;
  /** Column of each point. */
  readonly #columnOf: Uint32Array;
  /** Per column 1 when the value is stored as the driver gave it, a plain number. */
  readonly #plain: Uint8Array;
  readonly #factors: Float64Array;
  readonly #biases: Float64Array;
  readonly #statics: readonly number[];
  readonly #lengths: [numbers: number, integers: number, objects: number];
  /** Columns that are reported on change only. */
  readonly #onChange: readonly number[];
  /** What was last reported of those columns; `known` is 1 where that was a value. */
  readonly #reported: Draft & { readonly known: Uint8Array };

  /** `earlier` hands over its array of points when nothing about them changed, so that a driver's plan stays valid. */
  constructor(config: GroupConfig, earlier?: SampleBuilder) {
    this.config = config;
    const { tags, layout } = config;
    this.#columns = layout.columns;
    this.#places = placesOf(layout.columns);
    this.#stores = Uint8Array.from(layout.columns, storeOf);
    const polled: number[] = [];
    const statics: number[] = [];
    tags.forEach((tag, column) => (isPolled(tag) ? polled : statics).push(column));
    this.#columnOf = Uint32Array.from(polled);
    this.#statics = statics;
    this.#factors = Float64Array.from(tags, (tag) => (tag.decimal === 0 ? 1 : tag.decimal));
    this.#biases = Float64Array.from(tags, (tag) => tag.bias);
    this.#plain = Uint8Array.from(tags, (tag) => (!isScaled(tag) && kinds[tag.type] === 'number' ? 1 : 0));
    this.#lengths = [0, 0, 0];
    for (const store of this.#stores) this.#lengths[store as Store]++;
    this.#onChange = [...layout.columns.keys()].filter((column) => layout.columns[column]?.onChange);
    this.#reported = { ...this.#draft(), known: new Uint8Array(this.#onChange.length > 0 ? tags.length : 0) };
    this.points = keepPoints(
      earlier,
      polled.map((column) => tags[column]).filter((tag) => tag !== undefined),
    );
  }

  /** A sample of the outcomes, which belong to `points` in order; a missing outcome is a failed read. */
  build(outcomes: readonly Outcome[], time: number): Sample {
    const draft = this.#draft();
    const { numbers, faults } = draft;
    const count = this.points.length;
    const columnOf = this.#columnOf;
    for (let index = 0; index < count; index++) {
      const column = columnOf[index] as number;
      const outcome = outcomes[index];
      if (typeof outcome === 'number' && this.#plain[column] === 1 && Number.isFinite(outcome)) {
        numbers[this.#places[column] as number] = outcome;
      } else {
        const code = this.#put(draft, column, outcome);
        if (code !== 0) faults.push(column, code);
      }
    }
    return this.#finish(draft, time);
  }

  /** A sample in which every polled point carries the same error. */
  buildFailed(code: number, time: number): Sample {
    const draft = this.#draft();
    for (const column of this.#columnOf) draft.faults.push(column, code);
    return this.#finish(draft, time);
  }

  #draft(): Draft {
    return {
      numbers: new Float64Array(this.#lengths[Store.NUMBER]),
      integers: new BigInt64Array(this.#lengths[Store.INTEGER]),
      objects:
        this.#lengths[Store.OBJECT] === 0 ? [] : new Array<string>(this.#lengths[Store.OBJECT]).fill(''),
      faults: [],
    };
  }

  /** Stores one outcome of a column; returns 0 or the code of the fault that it is. */
  #put(draft: Draft, column: number, outcome: Outcome | undefined): number {
    if (isFault(outcome)) return outcome.code;
    const type = (this.#columns[column] as Column).type;
    if (type === DataType.BIT && typeof outcome === 'boolean') outcome = outcome ? 1 : 0;
    if (outcome === undefined) return ErrorCode.READ_FAILED;
    if (typeof outcome !== kinds[type]) return ErrorCode.TYPE_MISMATCH;
    const place = this.#places[column] as number;
    if (typeof outcome === 'number' || typeof outcome === 'boolean') {
      return this.#putNumber(draft, column, place, Number(outcome));
    }
    if (typeof outcome === 'bigint') {
      if (this.#stores[column] === Store.NUMBER)
        return this.#putNumber(draft, column, place, Number(outcome));
      draft.integers[place] = BigInt.asIntN(64, outcome);
    } else {
      draft.objects[place] = outcome;
    }
    return 0;
  }

  #putNumber(draft: Draft, column: number, place: number, raw: number): number {
    const value = this.#isScaledColumn(column)
      ? raw * (this.#factors[column] as number) + (this.#biases[column] as number)
      : raw;
    if (!Number.isFinite(value)) return ErrorCode.VALUE_EXPIRED;
    draft.numbers[place] = value;
    return 0;
  }

  #isScaledColumn(column: number): boolean {
    return (this.#columns[column] as Column).scaled;
  }

  #finish(draft: Draft, time: number): Sample {
    for (const column of this.#statics) {
      const code = this.#put(draft, column, staticOutcome(this.config.tags[column] as RunnerTag));
      if (code !== 0) draft.faults.push(column, code);
    }
    const faults = this.#statics.length > 0 ? sortPairs(draft.faults) : Int32Array.from(draft.faults);
    const { group, layout } = this.config;
    const { numbers, integers, objects } = draft;
    const sample: Sample = { group, version: layout.version, time, numbers, integers, objects, faults };
    return this.#onChange.length > 0 ? { ...sample, report: this.#markChanges(sample) } : sample;
  }

  /** Tags with the SUBSCRIBE attribute are reported when they differ from what was last reported, and while they fail. */
  #markChanges(sample: Sample): Uint8Array {
    const last = this.#reported;
    const report = new Uint8Array(this.#columns.length).fill(1);
    const failing = new Uint8Array(this.#columns.length);
    for (let pair = 0; pair < sample.faults.length; pair += 2) failing[sample.faults[pair] as number] = 1;
    for (const index of this.#onChange) {
      if (failing[index] === 1) {
        last.known[index] = 0;
      } else if (last.known[index] === 1 && !this.#differs(index, sample)) {
        report[index] = 0;
      } else {
        const place = this.#places[index] as number;
        last.known[index] = 1;
        if (this.#stores[index] === Store.NUMBER) last.numbers[place] = sample.numbers[place] as number;
        else if (this.#stores[index] === Store.INTEGER)
          last.integers[place] = sample.integers[place] as bigint;
        else last.objects[place] = sample.objects[place] as string | Uint8Array;
      }
    }
    return report;
  }

  #differs(index: number, sample: Sample): boolean {
    const last = this.#reported;
    const column = this.#columns[index] as Column;
    const place = this.#places[index] as number;
    if (this.#stores[index] === Store.NUMBER) {
      const difference = Math.abs((sample.numbers[place] as number) - (last.numbers[place] as number));
      const real = column.scaled || column.type === DataType.FLOAT || column.type === DataType.DOUBLE;
      return real && column.precision > 0 ? difference > 10 ** -column.precision : difference !== 0;
    }
    if (this.#stores[index] === Store.INTEGER) return sample.integers[place] !== last.integers[place];
    const now = sample.objects[place];
    const before = last.objects[place];
    if (now instanceof Uint8Array && before instanceof Uint8Array) return Buffer.compare(now, before) !== 0;
    return now !== before;
  }
}

interface Draft {
  readonly numbers: Float64Array;
  readonly integers: BigInt64Array;
  readonly objects: (string | Uint8Array)[];
  readonly faults: number[];
}

/** The stored value of a static tag in the form that a driver would give. */
function staticOutcome(tag: RunnerTag): Outcome | undefined {
  const { value, type } = tag;
  if (value === undefined) return undefined;
  if (type === DataType.INT64 || type === DataType.UINT64) return BigInt(value as number | bigint);
  if (type === DataType.BYTES) return Uint8Array.from(value as readonly number[]);
  if (type === DataType.BOOL || type === DataType.STRING) return value as boolean | string;
  return Number(value);
}

function sortPairs(faults: readonly number[]): Int32Array {
  const pairs: [column: number, code: number][] = [];
  for (let pair = 0; pair < faults.length; pair += 2)
    pairs.push([faults[pair] as number, faults[pair + 1] as number]);
  pairs.sort((one, other) => one[0] - other[0]);
  return Int32Array.from(pairs.flat());
}

function keepPoints(earlier: SampleBuilder | undefined, tags: readonly RunnerTag[]): readonly Point[] {
  const before = earlier?.points;
  const same =
    before?.length === tags.length &&
    before.every((point, index) => {
      const tag = tags[index] as RunnerTag;
      return (
        point.name === tag.name &&
        point.address === tag.address &&
        point.type === tag.type &&
        point.attribute === tag.attribute
      );
    });
  if (same) return before;
  return Object.freeze(
    tags.map(({ name, address, type, attribute }) => Object.freeze({ name, address, type, attribute })),
  );
}
