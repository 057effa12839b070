import { DataType, type Fault, type Value } from '@tagway/sdk';
import { unwritable } from './faults.ts';
import { CommandType } from '@tagway/iec104';

/** What is sent to an object. */
export interface Command {
  readonly type: number;
  readonly element: Buffer;
  /** Place of the octet with the bit S/E in the element; -1 when the type has no selection. */
  readonly selectAt: number;
}

const selectBit = 0x80;

const normalizedScale = 32_768;

/** The command that writes a value of a tag of this type, or the fault of a value that no command can carry. */
export function commandOf(type: DataType, value: Value): Command | Fault {
  const number = Number(value);
  switch (type) {
    case DataType.BIT:
    case DataType.BOOL:
      if (number !== 0 && number !== 1) return unwritable('a single command is 0 or 1');
      return octet(CommandType.SINGLE, number);
    case DataType.UINT8:
      if (number !== 1 && number !== 2) return unwritable('a double command is 1 (off) or 2 (on)');
      return octet(CommandType.DOUBLE, number);
    case DataType.INT8:
      if (number !== 1 && number !== 2) return unwritable('a step command is 1 (lower) or 2 (higher)');
      return octet(CommandType.STEP, number);
    case DataType.INT16:
    case DataType.UINT16:
      if (!Number.isInteger(number) || number < -32_768 || number > 32_767)
        return unwritable('a scaled set point is a whole number from -32768 to 32767');
      return setPoint(CommandType.SCALED, 2, (element) => element.writeInt16LE(number));
    case DataType.INT32:
    case DataType.UINT32: {
      if (!Number.isInteger(number) || number < -0x8000_0000 || number > 0xffff_ffff)
        return unwritable('a bit string has 32 bits');
      const element = Buffer.alloc(4);
      element.writeUInt32LE(number >>> 0);
      return { type: CommandType.BIT_STRING, element, selectAt: -1 };
    }
    default:
      if (!Number.isFinite(Math.fround(number))) return unwritable('a set point is a finite single');
      return setPoint(CommandType.SHORT_FLOAT, 4, (element) => element.writeFloatLE(number));
  }
}

/** Whether a number can be a normalized set point. */
export function isNormalized(value: number): boolean {
  return value >= -1 && value <= 1;
}

/** The normalized set point, for stations that take no other one for fractions. 1 itself is one step less. */
export function normalizedCommand(value: number): Command {
  const steps = Math.min(Math.round(value * normalizedScale), normalizedScale - 1);
  return setPoint(CommandType.NORMALIZED, 2, (element) => element.writeInt16LE(steps));
}

/** The command that selects before this one. */
export function selecting({ type, element, selectAt }: Command): Command {
  const selected = Buffer.from(element);
  selected[selectAt] = selected[selectAt]! | selectBit;
  return { type, element: selected, selectAt };
}

function octet(type: number, value: number): Command {
  return { type, element: Buffer.from([value]), selectAt: 0 };
}

/** A value followed by its qualifier of set point. */
function setPoint(type: number, size: number, fill: (element: Buffer) => void): Command {
  const element = Buffer.alloc(size + 1);
  fill(element);
  return { type, element, selectAt: size };
}
