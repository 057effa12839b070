import { DataType, dataTypeName, ErrorCode, Fault, numberSize } from '@tagway/sdk';
import type { Range } from '@tagway/sdk/link';
import type { Permutation } from './numbers.ts';
import type { CharacterPlaces } from './text.ts';

/** A checked address: places `start` to `end - 1` of an area, which are words, or bits in an area of bits. */
export interface Address extends Range {
  readonly type: DataType;
  /** A BIT in a word: its number, 0 is the lowest. Otherwise 0. */
  readonly bit: number;
  /** Bytes of a STRING, otherwise 0. */
  readonly length: number;
  /** Of a STRING: whether the first of two characters is in the high byte of their word. */
  readonly highFirst: boolean;
}

/** Longest STRING in bytes: three digits, and so 500 words, which one request can read. */
const mostText = 999;

const straight: CharacterPlaces = { step: 1, swap: 0 };
const swapped: CharacterPlaces = { step: 1, swap: 1 };

/** How a STRING lies on the wire, where a word has its high byte at `high`. */
export function characterPlacesOf({ highFirst }: Pick<Address, 'highFirst'>, high: number): CharacterPlaces {
  return highFirst === (high === 0) ? straight : swapped;
}

/** The byte order of a number, where a word has its high byte at `high`: its lowest word comes first. */
export function wordOrder(type: DataType, high: number): Permutation {
  const size = numberSize(type) ?? 2;
  return Array.from({ length: size }, (_, index) => size - 2 - (index & ~1) + ((index & 1) ^ high));
}

/** The byte of a word in which a bit lies. */
export function bitByte(bit: number, high: number): number {
  return bit > 7 ? high : high ^ 1;
}

/** What an address says behind the number of its word: `.5`, `.20` or `.20L`, in parts. */
export interface Suffix {
  readonly number: string | undefined;
  readonly letter: string | undefined;
}

/** The address of a value of `type` that begins at word `start` of an area. `text` is the address as it was written, for the fault. */
export function wordAddress(
  text: string,
  type: DataType,
  area: number,
  start: number,
  { number, letter }: Suffix,
): Address | Fault {
  const address = { area, start, end: start + 1, type, bit: 0, length: 0, highFirst: letter !== 'L' };
  const count = number === undefined ? undefined : Number(number);
  if (letter !== undefined && type !== DataType.STRING)
    return invalidAddress(text, 'Only a STRING has a letter behind its length');
  if (type === DataType.BIT) {
    if (count === undefined || count > 15 || (number ?? '').length > 2)
      return invalidAddress(text, 'A BIT in a word needs a bit number from 0 to 15, such as .5');
    return { ...address, bit: count };
  }
  if (type === DataType.STRING) {
    if (count === undefined || count < 1 || count > mostText || number?.startsWith('0') === true)
      return invalidAddress(text, `A STRING needs a length from 1 to ${mostText} bytes, such as .20`);
    return { ...address, length: count, end: start + Math.ceil(count / 2) };
  }
  if (count !== undefined) return invalidAddress(text, 'A number has neither a bit nor a length');
  return { ...address, end: start + Math.ceil((numberSize(type) ?? 1) / 2) };
}

export function invalidAddress(text: string, why: string): Fault {
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, `The address "${text}" is invalid. ${why}.`);
}

/** `expected` is a clause that says which types there are, such as `a flag holds INT8 or UINT8`. */
export function unsupportedType(type: DataType, expected: string): Fault {
  return new Fault(
    ErrorCode.TAG_TYPE_UNSUPPORTED,
    `The type ${dataTypeName(type)} does not fit here: ${expected}.`,
  );
}
