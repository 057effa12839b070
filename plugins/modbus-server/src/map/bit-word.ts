import { type AreaMap, PlaceState } from './area-map.ts';

const bytes = Buffer.alloc(2);

/** A register that consists of bits, each of which is a tag of its own. */
export class BitWord {
  readonly #area: AreaMap;
  readonly #place: number;
  /** Bits whose value cannot be read. */
  #bad = 0;
  #value = 0;

  constructor(area: AreaMap, place: number) {
    this.#area = area;
    this.#place = place;
  }

  put(bit: number, value: number, isBad: boolean): void {
    this.#value = (this.#value & ~(1 << bit)) | (value << bit);
    this.#bad = (this.#bad & ~(1 << bit)) | (Number(isBad) << bit);
    bytes.writeUInt16BE(this.#value);
    this.#area.putRegisters(this.#place, 1, bytes);
    this.#area.setState(this.#place, this.#bad === 0 ? PlaceState.GOOD : PlaceState.BAD);
  }
}
