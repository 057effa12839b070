import { DataType, ErrorCode, Fault, isFault, type Value } from '@tagway/sdk';
import { mismatch, outOfRange } from '@tagway/sdk/link';
import { characterPlacesOf, type Place } from './place.ts';
import { textInto } from './text.ts';

/** The bytes of whole words on the wire. Where `mask` has a bit of 0, the word keeps what it has. */
export interface Encoded {
  readonly data: Buffer;
  readonly mask?: Buffer;
}

const utf8 = new TextEncoder();
const view = new DataView(new ArrayBuffer(8));

/** 0 or 1, or the fault of a value that is neither. */
export function bitOf(value: Value): 0 | 1 | Fault {
  if (value === 1 || value === true) return 1;
  if (value === 0 || value === false) return 0;
  return typeof value === 'number' ? outOfRange : mismatch;
}

/** The words that hold a value, or the fault of a value that does not fit. `high` is where a word has its high byte. */
export function encodeWords(place: Place, value: Value, high: number): Encoded | Fault {
  if (place.type === DataType.STRING) return encodeText(place, value, high);
  if (place.type === DataType.BIT) return encodeBit(place, value, high);
  const words = place.end - place.start;
  const flaw = setScratch(place.type, value, words);
  if (flaw !== undefined) return flaw;
  const data = Buffer.alloc(2 * words);
  // The scratch begins with the highest word, the memory with the lowest.
  for (let i = 0; i < words; i++) putWord(data, 2 * i, view.getUint16(2 * (words - 1 - i)), high);
  return { data };
}

function putWord(data: Buffer, at: number, word: number, high: number): void {
  data[at + high] = word >> 8;
  data[at + (high ^ 1)] = word & 0xff;
}

function encodeBit({ bit }: Place, value: Value, high: number): Encoded | Fault {
  const state = bitOf(value);
  if (isFault(state)) return state;
  const [data, mask] = [Buffer.alloc(2), Buffer.alloc(2)];
  putWord(data, 0, state << bit, high);
  putWord(mask, 0, 1 << bit, high);
  return { data, mask };
}

function encodeText(place: Place, value: Value, high: number): Encoded | Fault {
  if (typeof value !== 'string') return mismatch;
  const text = utf8.encode(value);
  if (text.length > place.length)
    return new Fault(
      ErrorCode.STRING_TOO_LONG,
      `The text has ${text.length} bytes of UTF-8; the tag holds ${place.length}.`,
    );
  const places = characterPlacesOf(place, high);
  const data = Buffer.alloc(2 * (place.end - place.start));
  textInto(data, text, places);
  if (place.length % 2 === 0) return { data };
  // The last word has a byte that is not the tag's.
  const mask = Buffer.alloc(data.length, 0xff);
  mask[place.length ^ places.swap] = 0;
  return { data, mask };
}

/** Puts the value's big-endian bytes at the beginning of the scratch, or says what is wrong with it. */
function setScratch(type: DataType, value: Value, words: number): Fault | undefined {
  if (type === DataType.INT64 || type === DataType.UINT64) {
    if (typeof value !== 'bigint') return mismatch;
    const fits = type === DataType.INT64 ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
    if (fits !== value) return outOfRange;
    view.setBigInt64(0, value);
    return undefined;
  }
  if (typeof value !== 'number') return mismatch;
  if (!Number.isFinite(value)) return outOfRange;
  if (type === DataType.DOUBLE) view.setFloat64(0, value);
  else if (type === DataType.FLOAT) {
    if (!Number.isFinite(Math.fround(value))) return outOfRange;
    view.setFloat32(0, value);
  } else {
    const size = 2 ** (16 * words);
    const signed = type === DataType.INT16 || type === DataType.INT32;
    const [least, most] = signed ? [-size / 2, size / 2 - 1] : [0, size - 1];
    if (!Number.isInteger(value) || value < least || value > most) return outOfRange;
    if (words === 1) view.setInt16(0, value);
    else view.setInt32(0, value);
  }
  return undefined;
}
