import { DataType, ErrorCode, Fault, type Value } from '@tagway/sdk';
import { mismatch } from '@tagway/sdk/link';
import { encodeNumber } from '@tagway/plc-words/numbers';
import { encodeText } from '@tagway/plc-words/text';
import { characterPlaces, orderOf, type Address } from './address.ts';
import type { Endianness } from './settings.ts';

/** The wire bytes of the registers that hold `value`, or the fault of a value that does not fit. */
export function encodeRegisters(address: Address, value: Value, node: Endianness): Buffer | Fault {
  const { count, layout, length, type } = address;
  if (type === DataType.STRING) return encodeText(value, length, 2 * count, characterPlaces[layout]);
  if (type !== DataType.BYTES) return encodeNumber(type, value, orderOf(address, node));
  if (!(value instanceof Uint8Array)) return mismatch;
  const registers = Buffer.alloc(2 * count);
  if (value.length > registers.length)
    return new Fault(
      ErrorCode.VALUE_OUT_OF_RANGE,
      `There are ${value.length} bytes to write; the tag holds ${registers.length}.`,
    );
  registers.set(value);
  return registers;
}
