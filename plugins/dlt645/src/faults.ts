import { dataTypeName, ErrorCode, Fault, type DataType } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';

export const leftAlone = new Fault(
  ErrorCode.NO_RESPONSE,
  'The meter has not answered lately and is asked again from time to time; check its address, its power and the cabling.',
);

export const noDigits = new Fault(
  ErrorCode.DECODE_FAILED,
  'The meter sent something other than decimal digits. If the item has a sign, choose a type with a sign, such as INT32.',
);

export const noValue = new Fault(
  ErrorCode.DECODE_FAILED,
  'The meter has no value for this item: it sent FF in place of digits.',
);

const widths = faultsByCode((code) => {
  const size = code >> 8;
  const bits = [8, 8, 16, 32, 32, 64, 64, 64, 64][size];
  const needed = bits === undefined ? 'STRING' : `INT${bits}, UINT${bits} or a wider type`;
  return new Fault(
    ErrorCode.TYPE_MISMATCH,
    `The meter sent ${size} bytes for this item, which a tag of the type ${dataTypeName(code & 0xff)} does not take; it needs ${needed}.`,
  );
});

/** The item has more bytes than a tag of this type. */
export function tooWide(size: number, type: DataType): Fault {
  return widths(size * 0x100 + type);
}

export const noSuchPart = new Fault(
  ErrorCode.DECODE_FAILED,
  'The block that the meter sent has fewer parts than the number in the address of the tag.',
);

export const noTime = new Fault(
  ErrorCode.DECODE_FAILED,
  'The item has no time of occurrence: #T is for demands, for the time of a freeze and for times of events.',
);

export const impossibleTime = new Fault(
  ErrorCode.DECODE_FAILED,
  'The meter sent a time that no calendar or clock shows, such as 31 February.',
);

export const emptyAnswer = new Fault(
  ErrorCode.DECODE_FAILED,
  'The meter sent an answer without data for this item.',
);

export const endless = new Fault(
  ErrorCode.DECODE_FAILED,
  'The meter announces more frames of one item than the protocol has numbers for.',
);

/** Bits of the error byte (DL/T 645-2007, section 7.2): the lowest that is set is named. */
const reasons = [
  'another error',
  'there is no such data in the meter',
  'the password is wrong or the request is not permitted',
  'the baud rate cannot be changed',
  'there are too many zones of the year',
  'there are too many time periods of the day',
  'there are too many tariffs',
] as const;

/** The fault of an error byte. The family has no codes of its own for DL/T645. */
export const refusal = faultsByCode((error) => {
  const reason = reasons.find((_, bit) => (error >> bit) & 1) ?? 'the manual of the meter explains it';
  const hex = error.toString(16).toUpperCase().padStart(2, '0');
  return new Fault(ErrorCode.READ_FAILED, `The meter refused to read with error ${hex}: ${reason}.`);
});
