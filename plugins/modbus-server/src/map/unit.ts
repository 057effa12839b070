import { Area, isBitArea } from '@tagway/modbus/server';
import { DataType } from '@tagway/sdk';
import type { Row } from '../table/row.ts';
import { AreaMap } from './area-map.ts';
import { BitWord } from './bit-word.ts';
import { type BadSettings, Point } from './point.ts';

export interface MapSettings extends BadSettings {
  /** 1: places without a row are read as 0. */
  readonly gaps: number;
}

/** The rows of a register that consists of bits, by number of the bit. */
export interface BitPoints {
  readonly word: BitWord;
  readonly points: (Point | undefined)[];
}

/** The four tables of one unit, and which rows have their places. */
export class Unit {
  readonly #settings: MapSettings;
  readonly #areas: Readonly<Record<Area, AreaMap>>;
  readonly #entries: Readonly<Record<Area, Map<number, Point | BitPoints>>>;

  constructor(settings: MapSettings) {
    this.#settings = settings;
    const readsGaps = settings.gaps === 1;
    this.#areas = {
      [Area.COIL]: new AreaMap(1, readsGaps),
      [Area.DISCRETE_INPUT]: new AreaMap(1, readsGaps),
      [Area.INPUT_REGISTER]: new AreaMap(2, readsGaps),
      [Area.HOLDING_REGISTER]: new AreaMap(2, readsGaps),
    };
    this.#entries = {
      [Area.COIL]: new Map(),
      [Area.DISCRETE_INPUT]: new Map(),
      [Area.INPUT_REGISTER]: new Map(),
      [Area.HOLDING_REGISTER]: new Map(),
    };
  }

  area(area: Area): AreaMap {
    return this.#areas[area];
  }

  /** What has a place. */
  entry(area: Area, place: number): Point | BitPoints | undefined {
    return this.#entries[area].get(place);
  }

  add(row: Row): Point {
    const area = this.#areas[row.area];
    const entries = this.#entries[row.area];
    const isBitOfWord = !isBitArea(row.area) && row.address.type === DataType.BIT;
    const bits = isBitOfWord ? this.#bitsAt(row.area, row.start) : undefined;
    const qualities = this.#areas[Area.DISCRETE_INPUT];
    const point = new Point(row, area, bits?.word, qualities, this.#settings);
    if (bits === undefined)
      for (let place = row.start; place < row.start + row.count; place++) entries.set(place, point);
    else bits.points[row.address.bit] = point;
    area.occupy(row.start, row.count);
    return point;
  }

  #bitsAt(area: Area, place: number): BitPoints {
    const known = this.#entries[area].get(place);
    if (known !== undefined && !(known instanceof Point)) return known;
    const points = new Array<Point | undefined>(16).fill(undefined);
    const bits: BitPoints = { word: new BitWord(this.#areas[area], place), points };
    this.#entries[area].set(place, bits);
    return bits;
  }
}
