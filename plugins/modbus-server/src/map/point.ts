import { isBitArea } from '@tagway/modbus/server';
import { DataType, type Inputs, type JsonValue, Quality } from '@tagway/sdk';
import type { Row } from '../table/row.ts';
import { type AreaMap, PlaceState } from './area-map.ts';
import type { BitWord } from './bit-word.ts';
import {
  bitOfInput,
  bitValue,
  numberOf,
  objectOf,
  objectOfInput,
  putInput,
  putScaled,
  registersOf,
} from './coding.ts';

/** What masters get in the place of a value that cannot be read. */
export const BadPolicy = { EXCEPTION: 0, LAST: 1, FIXED: 2 } as const;
export type BadPolicy = (typeof BadPolicy)[keyof typeof BadPolicy];

export interface BadSettings {
  readonly bad: BadPolicy;
  /** In registers and bits, as masters are to see it. */
  readonly bad_value: number;
}

/** Flags of values that the device does not vouch for. */
const doubtful =
  Quality.UNCERTAIN | Quality.STALE | Quality.BLOCKED | Quality.OVERFLOW | Quality.OUT_OF_SERVICE;

/** The bytes of one number: nothing keeps them. */
const scratch = Buffer.alloc(8);

/** One row while the node runs: keeps the bytes of its tag up to date. */
export class Point {
  readonly row: Row;
  /** As the tag is now; undefined while there is none. */
  type: DataType | undefined;
  readonly #area: AreaMap;
  readonly #word: BitWord | undefined;
  /** Where its quality is a bit of its own. */
  readonly #inputsOfUnit: AreaMap | undefined;
  readonly #settings: BadSettings;
  #isBad = false;

  /** `word`: the register that it is a bit of. */
  constructor(row: Row, area: AreaMap, word: BitWord | undefined, qualities: AreaMap, settings: BadSettings) {
    this.row = row;
    this.#area = area;
    this.#word = word;
    this.#inputsOfUnit = row.quality === undefined ? undefined : qualities;
    this.#settings = settings;
    if (row.quality !== undefined) qualities.setState(row.quality, PlaceState.GOOD);
    this.#refuse();
  }

  get isBit(): boolean {
    return this.row.address.type === DataType.BIT;
  }

  /** Takes what the input is now. */
  take(inputs: Inputs, input: number): void {
    this.type = inputs.type(input);
    if (inputs.fault(input) !== undefined || !this.#put(inputs, input)) return this.#refuse();
    this.#accept((inputs.quality(input) & doubtful) === 0);
  }

  /** Takes a value that the device has confirmed: it is what the next reading shows. */
  confirmed(value: JsonValue): void {
    if (this.#isBad) return;
    if (this.isBit) return this.#putBit(Number(value) === 0 ? 0 : 1);
    if (typeof value === 'string' || value instanceof Uint8Array) this.#putObject(value);
    else if (typeof value === 'number' || typeof value === 'bigint') this.#putNumber(value);
    else if (typeof value === 'boolean') this.#putNumber(Number(value));
  }

  /** What the tag is to be when a master has written `data[at]` and what follows; undefined: it does not take that. */
  valueOf(data: Uint8Array, at: number): JsonValue | undefined {
    const { type } = this.row.address;
    if (type === DataType.STRING || type === DataType.BYTES)
      return this.type === type ? objectOf(this.row, data, at) : undefined;
    return numberOf(this.row, this.type, data, at);
  }

  /** As `valueOf` for a bit. */
  valueOfBit(bit: number): JsonValue | undefined {
    return bitValue(this.type, bit);
  }

  /** The registers that a value of the tag has; undefined: none. They hold until the next call. */
  registersOf(value: unknown): Uint8Array | undefined {
    if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
    return putScaled(this.row, value, scratch) ? scratch : undefined;
  }

  #put(inputs: Inputs, input: number): boolean {
    if (this.isBit) {
      const bit = bitOfInput(inputs, input);
      if (bit !== undefined) this.#putBit(bit);
      return bit !== undefined;
    }
    const { type } = this.row.address;
    if (type === DataType.STRING || type === DataType.BYTES) {
      const value = objectOfInput(this.row, inputs, input);
      return value !== undefined && this.#putObject(value);
    }
    if (!putInput(this.row, inputs, input, scratch)) return false;
    this.#area.putRegisters(this.row.start, this.row.count, scratch);
    return true;
  }

  #putNumber(value: number | bigint): void {
    if (putScaled(this.row, value, scratch)) this.#area.putRegisters(this.row.start, this.row.count, scratch);
  }

  #putObject(value: string | Uint8Array): boolean {
    const data = registersOf(this.row, value);
    if (data !== undefined) this.#area.putRegisters(this.row.start, this.row.count, data);
    return data !== undefined;
  }

  #putBit(bit: 0 | 1): void {
    const { address, start } = this.row;
    if (this.#word === undefined) this.#area.putBit(start, bit);
    else this.#word.put(address.bit, bit, false);
  }

  /** The value is there. */
  #accept(isGood: boolean): void {
    this.#setQuality(isGood);
    if (!this.#isBad) return;
    this.#isBad = false;
    if (this.#word === undefined) this.#setState(PlaceState.GOOD);
  }

  /** There is no value. */
  #refuse(): void {
    if (this.#isBad) return;
    this.#isBad = true;
    this.#setQuality(false);
    const { bad, bad_value: value } = this.#settings;
    const { bit } = this.row.address;
    if (bad === BadPolicy.LAST) return;
    if (bad === BadPolicy.FIXED) return this.#putFixed(value);
    if (this.#word === undefined) this.#setState(PlaceState.BAD);
    else this.#word.put(bit, 0, true);
  }

  #putFixed(value: number): void {
    const { address, count, order, start } = this.row;
    if (this.isBit) return this.#putBit(value === 0 ? 0 : 1);
    const isNumber =
      !isBitArea(this.row.area) && address.type !== DataType.STRING && address.type !== DataType.BYTES;
    if (isNumber && putScaled({ address, order, scale: 1 }, value, scratch))
      return this.#area.putRegisters(start, count, scratch);
    this.#area.putRegisters(start, count, Buffer.alloc(2 * count));
  }

  #setState(state: PlaceState): void {
    const { start, count } = this.row;
    for (let place = start; place < start + count; place++) this.#area.setState(place, state);
  }

  #setQuality(isGood: boolean): void {
    const { quality } = this.row;
    if (quality !== undefined) this.#inputsOfUnit?.putBit(quality, isGood ? 1 : 0);
  }
}
