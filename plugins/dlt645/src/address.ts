import { Attribute, DataType, ErrorCode, Fault, isFault, type TagDraft } from '@tagway/sdk';
import { partSize } from './identifier.ts';

/** What a tag means. */
export interface Address {
  /** Twelve digits, or undefined for the meter of the settings. */
  readonly meter: string | undefined;
  /** Data identifier, DI3 in the highest byte. */
  readonly identifier: number;
  /** Which part of a block, counted from 0, which is also the part of an item that is no block. */
  readonly part: number;
  /** The time of occurrence in place of the value. */
  readonly isTime: boolean;
}

/** The address that all meters obey and none answers (DL/T 645-2007, section 5.2.2). */
export const broadcast = '9'.repeat(12);

const pattern =
  /^(?:(\d{1,12})#)?([0-9A-Fa-f]{2})-([0-9A-Fa-f]{2})-([0-9A-Fa-f]{2})-([0-9A-Fa-f]{2})(?:#(\d{1,2}))?(#T)?$/;

const form =
  'A data identifier of four bytes is expected, DI3 first, with or without the address of the meter before it, for example ' +
  '02-01-01-00, 123456789012#02-01-01-00, 05-06-01-01#1 or 01-01-00-00#T.';

function invalid(address: string, why: string): Fault {
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, `The address "${address}" is invalid. ${why}`);
}

/** A meter's address with all its twelve digits. */
export function meterOf(number: number | string): string {
  return String(number).padStart(12, '0');
}

/** Parses an address `[METER#]DI3-DI2-DI1-DI0[#PART][#T]`; the fault says what is wrong. */
export function parseAddress(text: string, type: DataType): Address | Fault {
  // INT8 to UINT64 are the lowest.
  if (type > DataType.UINT64 && type !== DataType.STRING)
    return new Fault(
      ErrorCode.TAG_TYPE_UNSUPPORTED,
      'Tags of meters are whole numbers (INT8 to UINT64) or STRING; a factor such as 0.1 makes digits behind the point of a whole number.',
    );
  const parts = pattern.exec(text);
  if (parts === null) return invalid(text, form);
  const [, digits, di3 = '', di2 = '', di1 = '', di0 = '', number, time] = parts;
  const identifier = parseInt(di3 + di2 + di1 + di0, 16);
  const meter = digits === undefined ? undefined : meterOf(digits);
  if (meter === broadcast) return invalid(text, 'Meters obey this address but do not answer to it.');
  if (time !== undefined && type !== DataType.STRING)
    return invalid(text, 'The time of occurrence (#T) is a text: the tag must be a STRING.');
  const part = number === undefined ? 0 : Number(number);
  if (part > 0 && partSize(identifier) === 0)
    return invalid(text, 'This item has no parts of a known size; leave the number behind # out.');
  return { meter, identifier, part, isTime: time !== undefined };
}

const readOnly = new Fault(
  ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
  'Tags of meters can be read and subscribed to, not written: remove the attribute WRITE.',
);

/** The static check of a tag: see `DriverDefinition.checkTag`. */
export function checkTag({ address, attribute, type }: TagDraft): Fault | undefined {
  const parsed = parseAddress(address, type);
  if (isFault(parsed)) return parsed;
  return (attribute & Attribute.WRITE) === 0 ? undefined : readOnly;
}
