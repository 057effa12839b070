import { ErrorCode, Fault } from '@tagway/sdk';

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

export const tooWide = new Fault(
  ErrorCode.TYPE_MISMATCH,
  'The item has more bytes than the type of the tag: 1 byte needs 8 bits, 2 bytes 16, 3 or 4 bytes 32, up to 8 bytes 64. ' +
    'Of a block choose one part, for example with #1.',
);

export const noSuchPart = new Fault(
  ErrorCode.DECODE_FAILED,
  'The block that the meter sent has fewer parts than the number in the address of the tag.',
);

export const noTime = new Fault(
  ErrorCode.DECODE_FAILED,
  'The item has no time of occurrence: #T is for demands, for the time of a freeze and for times of events.',
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

const refusals = new Map<number, Fault>();

/** The fault of an error byte, one for each because points fail by the thousand. The family has no codes of its own for DL/T645. */
export function refusal(error: number): Fault {
  const known = refusals.get(error);
  if (known !== undefined) return known;
  const reason = reasons.find((_, bit) => (error >> bit) & 1) ?? 'the manual of the meter explains it';
  const hex = error.toString(16).toUpperCase().padStart(2, '0');
  const fault = new Fault(ErrorCode.READ_FAILED, `The meter refused to read with error ${hex}: ${reason}.`);
  refusals.set(error, fault);
  return fault;
}
