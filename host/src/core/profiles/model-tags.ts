import {
  Attribute,
  DataType,
  type ProfileDiscovery,
  type ProfileModel,
  type ProfileModelTag,
} from '@tagway/schemas';
import type { TagBody } from '../model.ts';
import { filled, type Parameters } from './profile-groups.ts';

/** A point of a model at its place in the device. */
export interface PlacedPoint {
  readonly name: string;
  /** Registers from the one with the model's number. */
  readonly offset: number;
  readonly registers: number;
  readonly point: ProfileModelTag;
  readonly type: DataType;
  /** The raw value that means that there is none. */
  readonly absent: number | string | undefined;
}

/** Registers of a number, by its type. */
const widths: Readonly<Partial<Record<DataType, number>>> = {
  [DataType.INT8]: 1,
  [DataType.UINT8]: 1,
  [DataType.INT16]: 1,
  [DataType.UINT16]: 1,
  [DataType.INT32]: 2,
  [DataType.UINT32]: 2,
  [DataType.FLOAT]: 2,
  [DataType.INT64]: 4,
  [DataType.UINT64]: 4,
  [DataType.DOUBLE]: 4,
};

/** The points that a model of this many registers, with its number and its length, can have. */
export function pointsOf(discover: ProfileDiscovery, model: ProfileModel, registers: number): PlacedPoint[] {
  const points = model.tags.map((point) => placed(discover, point, point.name, 0));
  const { repeat } = model;
  if (repeat !== undefined) {
    const count = Math.min(repeat.most, Math.floor((registers - repeat.offset) / repeat.registers));
    for (let n = 1; n <= count; n++)
      for (const point of repeat.tags)
        points.push(
          placed(
            discover,
            point,
            point.name.replaceAll('{n}', String(n)),
            repeat.offset + (n - 1) * repeat.registers,
          ),
        );
  }
  return points.filter(({ offset, registers: length }) => offset + length <= registers);
}

function placed(
  { types }: ProfileDiscovery,
  point: ProfileModelTag,
  name: string,
  from: number,
): PlacedPoint {
  const { type: word, absent } = types[point.type] ?? { type: 'UINT16' as const };
  const type = DataType[word];
  const registers = point.registers ?? widths[type] ?? 1;
  return { name, offset: from + point.offset, registers, point, type, absent };
}

/** The address of registers of the device, counted from 0. */
export function addressOf(
  pattern: string,
  { base }: ProfileDiscovery,
  values: Parameters,
  register: number,
  count = 1,
): string {
  return filled(pattern, { ...values, register: register + base, bytes: count * 2 });
}

/** The tag of a point; `exponent` is the power of ten of its factor. */
export function tagOfPoint(
  discover: ProfileDiscovery,
  values: Parameters,
  start: number,
  { name, offset, registers, point, type }: PlacedPoint,
  exponent = 0,
): TagBody {
  const pattern = type === DataType.STRING ? discover.text : discover.number;
  const { attribute = Attribute.READ, unit, description } = point;
  return {
    name,
    address: addressOf(pattern, discover, values, start + offset, registers),
    type,
    attribute,
    // Not a product: 10 ** -3 is not the number that is written 0.001.
    ...(exponent !== 0 && { decimal: Number(`1e${exponent}`) }),
    ...(unit !== undefined && { unit }),
    ...(description !== undefined && { description }),
  };
}
