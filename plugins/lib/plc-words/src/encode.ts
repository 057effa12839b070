import { DataType, isFault, type Fault, type Value } from '@tagway/sdk';
import { mismatch, outOfRange } from '@tagway/sdk/link';
import { bitByte, characterPlacesOf, wordOrder, type Address } from './address.ts';
import { encodeNumber } from './numbers.ts';
import { encodeText } from './text.ts';

/** The bytes of whole words on the wire. Where `mask` has a bit of 0, the word keeps what it has. */
export interface Encoded {
  readonly data: Buffer;
  readonly mask?: Buffer;
}

/** 0 or 1, or the fault of a value that is neither. */
export function bitOf(value: Value): 0 | 1 | Fault {
  if (value === 1 || value === true) return 1;
  if (value === 0 || value === false) return 0;
  return typeof value === 'number' ? outOfRange : mismatch;
}

/** The words that hold a value, or the fault of a value that does not fit. `high` is where a word has its high byte. */
export function encode(address: Address, value: Value, high: number): Encoded | Fault {
  if (address.type === DataType.BIT) return encodeBit(address, value, high);
  if (address.type !== DataType.STRING) {
    const data = encodeNumber(address.type, value, wordOrder(address.type, high));
    return isFault(data) ? data : { data };
  }
  const places = characterPlacesOf(address, high);
  const data = encodeText(value, address.length, 2 * (address.end - address.start), places);
  if (isFault(data)) return data;
  if (address.length % 2 === 0) return { data };
  // The last word has a byte that is not the tag's.
  const mask = Buffer.alloc(data.length, 0xff);
  mask[address.length ^ places.swap] = 0;
  return { data, mask };
}

function encodeBit({ bit }: Address, value: Value, high: number): Encoded | Fault {
  const state = bitOf(value);
  if (isFault(state)) return state;
  const data = Buffer.alloc(2);
  const mask = Buffer.alloc(2);
  data[bitByte(bit, high)] = state << (bit & 7);
  mask[bitByte(bit, high)] = 1 << (bit & 7);
  return { data, mask };
}
