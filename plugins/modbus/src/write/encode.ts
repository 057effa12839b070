import { DataType, ErrorCode, Fault, type Value } from '@tagway/sdk';
import { mismatch } from '@tagway/sdk/link';
import { textInto } from '@tagway/words/text';
import { orderOf, widthOf, type Address } from '../address.ts';
import type { Endianness } from '../byte-order.ts';
import { characterPlaces } from '../text.ts';

const view = new DataView(new ArrayBuffer(8));
const utf8 = new TextEncoder();

/** The wire bytes of the registers that hold `value`, or the fault of a value that does not fit. */
export function encodeRegisters(address: Address, value: Value, node: Endianness): Uint8Array | Fault {
  const registers = new Uint8Array(address.count * 2);
  if (address.type === DataType.STRING) {
    const text = utf8.encode(String(value));
    if (text.length > address.length) {
      return new Fault(
        ErrorCode.STRING_TOO_LONG,
        `The text has ${text.length} bytes of UTF-8; the tag holds ${address.length}.`,
      );
    }
    textInto(registers, text, characterPlaces[address.layout]);
  } else if (address.type === DataType.BYTES) {
    if (!(value instanceof Uint8Array)) return mismatch;
    if (value.length > registers.length) {
      return new Fault(
        ErrorCode.VALUE_OUT_OF_RANGE,
        `There are ${value.length} bytes to write; the tag holds ${registers.length}.`,
      );
    }
    registers.set(value);
  } else {
    if (!setScratch(address.type, value)) return mismatch;
    orderOf(address, node).forEach((place, index) => {
      registers[place] = view.getUint8(index);
    });
  }
  return registers;
}

/** Puts the value's big-endian bytes at the beginning of the scratch; false when the value has another type than the tag. */
function setScratch(type: DataType, value: Value): boolean {
  if (type === DataType.INT64 || type === DataType.UINT64) {
    if (typeof value !== 'bigint') return false;
    view.setBigInt64(0, BigInt.asIntN(64, value));
    return true;
  }
  if (typeof value !== 'number') return false;
  if (type === DataType.FLOAT) view.setFloat32(0, value);
  else if (type === DataType.DOUBLE) view.setFloat64(0, value);
  else if (widthOf(type) === 2) view.setInt16(0, value);
  else view.setInt32(0, value);
  return true;
}
