import { textOf, type Operand } from '@tagway/expression';
import { DataType, dataTypeName, ErrorCode, Fault, isInIntegerRange, type Values } from '@tagway/sdk';

const { BIT, BOOL, BYTES, DOUBLE, FLOAT, INT64, STRING, UINT64 } = DataType;

const notFinite = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The result is infinite or not a number, as after a division by zero.',
);

const outOfRange = new Map<DataType, Fault>(
  Object.values(DataType).map((type) => [
    type,
    new Fault(
      ErrorCode.VALUE_OUT_OF_RANGE,
      `The result lies outside of what ${dataTypeName(type)} can hold.`,
    ),
  ]),
);

/** Rounds to the nearest whole number, half away from zero. */
const rounded = (value: number): number => Math.sign(value) * Math.floor(Math.abs(value) + 0.5) + 0;

/** Stores a result in the place of its point; of a kind that a tag of this type can hold. */
export function store(into: Values, index: number, type: DataType, value: Operand): void {
  switch (type) {
    case BYTES:
      return into.bytes(index, value as Uint8Array);
    case STRING:
      return into.text(index, textOf(value));
    case BIT:
    case BOOL:
      return into.number(index, value === true ? 1 : 0);
    case DOUBLE:
    case FLOAT:
      return storeDouble(into, index, type, Number(value));
    default:
      return storeWhole(into, index, type, typeof value === 'bigint' ? value : Number(value));
  }
}

function storeDouble(into: Values, index: number, type: DataType, value: number): void {
  if (!Number.isFinite(value)) into.fault(index, notFinite);
  else if (type === FLOAT && !Number.isFinite(Math.fround(value))) into.fault(index, outOfRange.get(type)!);
  else into.number(index, value);
}

function storeWhole(into: Values, index: number, type: DataType, value: number | bigint): void {
  if (typeof value === 'number' && !Number.isFinite(value)) return into.fault(index, notFinite);
  const whole = typeof value === 'number' ? rounded(value) : value;
  if (!isInIntegerRange(type, whole)) return into.fault(index, outOfRange.get(type)!);
  if (type === INT64 || type === UINT64) into.integer(index, BigInt(whole));
  else into.number(index, Number(whole));
}
