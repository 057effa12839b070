import { Attribute, DataType, isNumeric } from '@tagway/schemas';
import type { Point } from '../../point.ts';
import { type Column, type Layout, Store, storeLengths, storeOf, type TagInfo } from '../../sample.ts';
import type { GroupConfig, RunnerTag } from '../channel/protocol.ts';

/** A tag that can be written and not read, as a layout shows it. */
export type WriteOnlyTag = Pick<RunnerTag, 'name' | 'type' | 'address' | 'precision' | 'decimal' | 'bias'> &
  Described;

/** What only the host knows of a tag. */
type Described = Partial<Pick<TagInfo, 'description' | 'unit' | 'low' | 'high'>>;

/** The layout of a group's samples, from its readable tags in order. */
export function layoutOf(
  version: number,
  { driver, group, interval, keepsHistory }: Pick<Layout, 'driver' | 'group' | 'interval' | 'keepsHistory'>,
  tags: readonly (RunnerTag & Described)[],
  writeOnly: readonly WriteOnlyTag[] = [],
): Layout {
  const next: [number, number, number] = [0, 0, 0];
  const columns = tags.map((tag): Column => {
    const scaled = isScaled(tag);
    const store = storeOf(tag.type, scaled);
    // One literal: an object that is made in two steps takes half as much memory again, and a gateway has very many of these.
    return {
      name: tag.name,
      type: tag.type,
      valueType: scaled ? DataType.DOUBLE : tag.type,
      precision: tag.precision,
      address: tag.address,
      description: tag.description ?? '',
      unit: tag.unit,
      low: tag.low,
      high: tag.high,
      scaled,
      onChange: (tag.attribute & Attribute.SUBSCRIBE) !== 0,
      writable: (tag.attribute & Attribute.WRITE) !== 0,
      store,
      place: next[store]++,
    };
  });
  const kept = keepsHistory && { keepsHistory };
  return { version, driver, group, interval, columns, ...kept, writeOnly: writeOnly.map(infoOf) };
}

function infoOf(tag: WriteOnlyTag): TagInfo {
  const { name, type, precision, address, description = '', unit, low, high } = tag;
  return {
    name,
    type,
    valueType: isScaled(tag) ? DataType.DOUBLE : type,
    precision,
    address,
    description,
    unit,
    low,
    high,
  };
}

function isScaled(tag: Pick<RunnerTag, 'type' | 'decimal' | 'bias'>): boolean {
  return isNumeric(tag.type) && (tag.decimal !== 0 || tag.bias !== 0);
}

function hasDeadband({ threshold = 0 }: RunnerTag): boolean {
  return threshold > 0;
}

/** Whether a tag's column is filled by the driver, not by a fixed value. */
export function isPolled(tag: Pick<RunnerTag, 'attribute'>): boolean {
  return (tag.attribute & Attribute.STATIC) === 0;
}

/** How a value is converted and stored in its column. */
export const Mode = {
  /** A number that is stored as it is. */
  PLAIN: 0,
  /** A number that is rounded to the nearest single. */
  SINGLE: 1,
  /** A number that is scaled. */
  SCALED: 2,
  /** A 64-bit integer. */
  INTEGER: 3,
  /** A 64-bit integer that is scaled, and a double from then on. */
  SCALED_INTEGER: 4,
  TEXT: 5,
  BYTES: 6,
} as const;

function modeOf({ type, scaled }: Column): number {
  if (type === DataType.STRING) return Mode.TEXT;
  if (type === DataType.BYTES) return Mode.BYTES;
  if (type === DataType.INT64 || type === DataType.UINT64) return scaled ? Mode.SCALED_INTEGER : Mode.INTEGER;
  if (scaled) return Mode.SCALED;
  return type === DataType.FLOAT ? Mode.SINGLE : Mode.PLAIN;
}

/** Everything that is needed to make samples of one version of a group, in arrays by column. */
export class GroupColumns {
  readonly group: number;
  readonly layout: Layout;
  readonly count: number;
  /** The points that the driver is asked for, frozen. */
  readonly points: readonly Point[];
  /** Column of each point. */
  readonly columnOf: Uint32Array;
  readonly places: Uint32Array;
  /** Of each point the place among the numbers when it is stored there as it is given, otherwise -1. */
  readonly plainPlaces: Int32Array;
  readonly modes: Uint8Array;
  readonly factors: Float64Array;
  readonly biases: Float64Array;
  readonly lengths: readonly [numbers: number, integers: number, objects: number];
  /** Columns with a fixed value. */
  readonly statics: readonly number[];
  /** Columns that are reported on change only. */
  readonly onChange: readonly number[];
  /** Columns that apps get only when they differ from what was reported: those on change and those with a deadband, or all of the group. */
  readonly watched: readonly number[];
  /** Deadband of each column, 0 for none; undefined where no tag has one. */
  readonly deadbands: Float64Array | undefined;
  /** Columns whose numbers are rounded to a precision. */
  readonly rounded: readonly number[];
  /** Indices of the points by their address, made for the first write. */
  #byAddress: Map<string, number[]> | undefined;

  /** The array of points of `earlier` is kept when no point changed, so that a driver's plan stays valid. `areAllOnChange`: the group says so. */
  constructor(config: GroupConfig, earlier?: GroupColumns, areAllOnChange = false) {
    const { group, tags } = config;
    const layout = layoutOf(config.layout.version, config.layout, tags);
    const { columns } = layout;
    const all = [...columns.keys()];
    const at = (column: number): Column => columns[column]!;
    const polled = all.filter((column) => isPolled(tags[column]!));
    this.group = group;
    this.layout = layout;
    this.count = columns.length;
    this.columnOf = Uint32Array.from(polled);
    this.places = Uint32Array.from(columns, ({ place }) => place);
    this.modes = Uint8Array.from(columns, modeOf);
    this.plainPlaces = Int32Array.from(polled, (column) =>
      this.modes[column] === Mode.PLAIN ? this.places[column]! : -1,
    );
    this.factors = Float64Array.from(tags, ({ decimal }) => (decimal === 0 ? 1 : decimal));
    this.biases = Float64Array.from(tags, ({ bias }) => bias);
    this.lengths = storeLengths(layout);
    this.statics = all.filter((column) => !isPolled(tags[column]!));
    this.onChange = all.filter((column) => at(column).onChange);
    this.deadbands = tags.some(hasDeadband)
      ? Float64Array.from(tags, (tag) => tag.threshold ?? 0)
      : undefined;
    if (areAllOnChange) this.watched = all;
    else if (this.deadbands === undefined) this.watched = this.onChange;
    else this.watched = all.filter((column) => at(column).onChange || hasDeadband(tags[column]!));
    this.rounded = all.filter((column) => {
      const { precision, scaled, store, type } = at(column);
      const isReal = scaled || type === DataType.FLOAT || type === DataType.DOUBLE;
      return store === Store.NUMBER && precision > 0 && isReal;
    });
    this.points = keepPoints(
      earlier,
      polled.map((column) => tags[column]!),
    );
  }

  /** Indices of the points that are the same place in the device as this one, for the driver. */
  pointsAt({ address, type }: Pick<Point, 'address' | 'type'>): readonly number[] {
    const { points } = this;
    this.#byAddress ??= Map.groupBy(points.keys(), (index) => points[index]!.address);
    return (this.#byAddress.get(address) ?? []).filter((index) => points[index]!.type === type);
  }

  /** Whether a value of one column is stored as it is in the column `from` of `other`. */
  storesAlike(column: number, other: GroupColumns, from: number): boolean {
    return (
      this.modes[column] === other.modes[from] &&
      this.factors[column] === other.factors[from] &&
      this.biases[column] === other.biases[from]
    );
  }
}

function keepPoints(earlier: GroupColumns | undefined, tags: readonly RunnerTag[]): readonly Point[] {
  const before = earlier?.points;
  const same =
    before?.length === tags.length &&
    before.every((point, index) => {
      const tag = tags[index]!;
      return (
        point.name === tag.name &&
        point.address === tag.address &&
        point.type === tag.type &&
        point.attribute === tag.attribute &&
        point.id === tag.id
      );
    });
  if (same) return before;
  return Object.freeze(
    tags.map(({ name, address, type, attribute, id }) =>
      Object.freeze({ name, address, type, attribute, ...(id !== undefined && { id }) }),
    ),
  );
}
