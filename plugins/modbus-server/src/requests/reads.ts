import { Area, Exception, FunctionCode, isBitArea, limits } from '@tagway/modbus/server';
import type { Unit } from '../map/unit.ts';
import { isWithin, putException } from './request.ts';

const areas: Readonly<Record<number, Area>> = {
  [FunctionCode.READ_COILS]: Area.COIL,
  [FunctionCode.READ_DISCRETE_INPUTS]: Area.DISCRETE_INPUT,
  [FunctionCode.READ_HOLDING_REGISTERS]: Area.HOLDING_REGISTER,
  [FunctionCode.READ_INPUT_REGISTERS]: Area.INPUT_REGISTER,
};

/** Writes the answer to the request `data[at, end)`, which is one to read, to `out[to]`. Returns its length. */
export function answerRead(
  unit: Unit,
  data: Buffer,
  at: number,
  end: number,
  out: Buffer,
  to: number,
): number {
  const code = data[at]!;
  if (end - at !== 5) return putException(out, to, code, Exception.ILLEGAL_DATA_VALUE);
  const start = (data[at + 1]! << 8) | data[at + 2]!;
  const count = (data[at + 3]! << 8) | data[at + 4]!;
  return answerPlaces(unit, code, areas[code] ?? Area.HOLDING_REGISTER, start, count, out, to);
}

/** As `answerRead`, for places that are known. */
export function answerPlaces(
  unit: Unit,
  code: number,
  area: Area,
  start: number,
  count: number,
  out: Buffer,
  to: number,
): number {
  const isBits = isBitArea(area);
  if (count < 1 || count > (isBits ? limits.readBits : limits.readRegisters))
    return putException(out, to, code, Exception.ILLEGAL_DATA_VALUE);
  if (!isWithin(start, count)) return putException(out, to, code, Exception.ILLEGAL_DATA_ADDRESS);
  const map = unit.area(area);
  const problem = isBits
    ? map.readBits(start, count, out, to + 2)
    : map.readRegisters(start, count, out, to + 2);
  if (problem !== 0) return putException(out, to, code, problem);
  const bytes = isBits ? Math.ceil(count / 8) : 2 * count;
  out[to] = code;
  out[to + 1] = bytes;
  return 2 + bytes;
}
