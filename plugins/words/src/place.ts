import { Attribute, DataType, ErrorCode, Fault, numberSize, type TagDraft } from '@tagway/sdk';
import type { Range } from '@tagway/sdk/link';
import type { CharacterPlaces } from './text.ts';

/** Where a tag lies in the memory of a PLC: places `start` to `end - 1` of its area, which are words, or bits in an area of bits. */
export interface Place extends Range {
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
export function characterPlacesOf({ highFirst }: Pick<Place, 'highFirst'>, high: number): CharacterPlaces {
  return highFirst === (high === 0) ? straight : swapped;
}

/** What an address says behind the number of its word: `.5`, `.20` or `.20L`, in parts. */
export interface Suffix {
  readonly number: string | undefined;
  readonly letter: string | undefined;
}

/** The place of a value of `type` that begins at word `start` of an area. `text` is the address as it was written, for the fault. */
export function placeOf(
  text: string,
  type: DataType,
  area: number,
  start: number,
  { number, letter }: Suffix,
): Place | Fault {
  const place = { area, start, end: start + 1, type, bit: 0, length: 0, highFirst: letter !== 'L' };
  const count = number === undefined ? undefined : Number(number);
  if (letter !== undefined && type !== DataType.STRING)
    return invalidAddress(text, 'Only a STRING has a letter behind its length');
  if (type === DataType.BIT) {
    if (count === undefined || count > 15 || (number ?? '').length > 2)
      return invalidAddress(text, 'A BIT in a word needs a bit number from .0 to .15');
    return { ...place, bit: count };
  }
  if (type === DataType.STRING) {
    if (count === undefined || count < 1 || count > mostText || number?.startsWith('0') === true)
      return invalidAddress(text, `A STRING needs a length from .1 to .${mostText} bytes, such as .20`);
    return { ...place, length: count, end: start + Math.ceil(count / 2) };
  }
  if (count !== undefined) return invalidAddress(text, 'A number has neither a bit nor a length');
  return { ...place, end: start + Math.ceil((numberSize(type) ?? 1) / 2) };
}

export function invalidAddress(text: string, why: string): Fault {
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, `The address "${text}" is invalid. ${why}.`);
}

/** `expected` is a clause that says which types there are, such as `a flag holds INT8 or UINT8`. */
export function unsupportedType(type: DataType, expected: string): Fault {
  const name = Object.entries(DataType).find(([, value]) => value === type)?.[0] ?? String(type);
  return new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, `The type ${name} does not fit here: ${expected}.`);
}

/** Refuses a tag that is to be written where nothing can be; `why` is a sentence that says so. */
export function checkWrite(tag: TagDraft, writable: boolean, why: string): Fault | undefined {
  if ((tag.attribute & Attribute.WRITE) === 0 || writable) return undefined;
  return new Fault(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED, `The tag "${tag.name}" cannot be written. ${why}`);
}
