import type { Address, Area } from '../address.ts';
import type { Endianness, Permutation } from '../byte-order.ts';

/** One point of a plan: registers or bits `start` to `end - 1` of its area. */
export interface Item {
  /** Place of the point in its group, and of its value in a reading. */
  readonly index: number;
  readonly address: Address;
  readonly area: Area;
  readonly start: number;
  readonly end: number;
  /** Byte order of its value. */
  readonly order: Permutation;
}

/** The settings of a node that decide which requests are made and how values are coded. */
export interface PlanSettings extends Endianness {
  readonly address_base: number;
  readonly max_gap: number;
}
