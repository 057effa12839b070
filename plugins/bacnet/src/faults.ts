import { dataTypeName, ErrorCode, Fault, type DataType } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';

/** One fault object per cause: points fail by the thousand, and a fault carries a stack trace. */

/** Reasons of a reject (ANSI/ASHRAE 135, BACnetRejectReason). */
export const RejectReason = { UNRECOGNIZED_SERVICE: 9 } as const;

/** Reasons of an abort (BACnetAbortReason). */
export const AbortReason = { BUFFER_OVERFLOW: 1, SEGMENTATION_NOT_SUPPORTED: 4, APDU_TOO_LONG: 11 } as const;

/** Errors, as class * 65536 + code, by their codes alone, which name one thing in every class (BACnetErrorCode). */
export const BacnetError = {
  INVALID_DATA_TYPE: 9,
  UNKNOWN_OBJECT: 31,
  UNKNOWN_PROPERTY: 32,
  VALUE_OUT_OF_RANGE: 37,
  WRITE_ACCESS_DENIED: 40,
  INVALID_ARRAY_INDEX: 42,
} as const;

const errorNames: Readonly<Record<number, string>> = {
  0: 'other',
  3: 'configuration in progress',
  4: 'device busy',
  9: 'invalid data type',
  22: 'no space to write property',
  25: 'operational problem',
  26: 'password failure',
  27: 'read access denied',
  29: 'service request denied',
  30: 'timeout',
  31: 'unknown object',
  32: 'unknown property',
  37: 'value out of range',
  40: 'write access denied',
  42: 'invalid array index',
  43: 'COV subscription failed',
  44: 'not a COV property',
  45: 'optional functionality not supported',
  47: 'datatype not supported',
  50: 'property is not an array',
  79: 'unknown subscription',
};

const rejectNames: Readonly<Record<number, string>> = {
  1: 'buffer overflow',
  2: 'inconsistent parameters',
  3: 'invalid parameter data type',
  4: 'invalid tag',
  5: 'missing required parameter',
  6: 'parameter out of range',
  7: 'too many arguments',
  8: 'undefined enumeration',
  9: 'unrecognized service',
};

const abortNames: Readonly<Record<number, string>> = {
  1: 'buffer overflow',
  2: 'invalid APDU in this state',
  3: 'preempted by a higher priority task',
  4: 'segmentation not supported',
  9: 'out of resources',
  10: 'TSM timeout',
  11: 'APDU too long',
};

const hints: Readonly<Record<number, string>> = {
  [BacnetError.UNKNOWN_OBJECT]: '; check area and number of the address',
  [BacnetError.UNKNOWN_PROPERTY]: '; this object does not have the property',
  [BacnetError.WRITE_ACCESS_DENIED]: '; the property can only be read, or not be written at present',
};

export const nothing = new Fault(
  ErrorCode.READ_FAILED,
  'The property holds NULL at present: it has no value.',
);

export const isList = new Fault(
  ErrorCode.TYPE_MISMATCH,
  'The property holds several values: name one of them by its index, such as AV1.Priority_Array[8].',
);

export const constructed = new Fault(
  ErrorCode.TYPE_MISMATCH,
  'The property holds a constructed value, which no tag can take.',
);

/** Types of values (20.2.1.4), and the types of tags that take them. */
const valueTypes: readonly (readonly [name: string, taken: string])[] = [
  ['a Null', 'a value'],
  ['a Boolean', 'BIT, BOOL or a type of numbers'],
  ['an Unsigned', 'a type of numbers'],
  ['an Integer', 'a type of numbers'],
  ['a Real', 'FLOAT or DOUBLE'],
  ['a Double', 'FLOAT or DOUBLE'],
  ['an OctetString', 'BYTES or STRING'],
  ['a CharacterString', 'STRING'],
  ['a BitString', 'STRING, or a type of numbers for up to 32 bits'],
  ['an Enumerated', 'a type of numbers'],
  ['a Date', 'STRING'],
  ['a Time', 'STRING'],
  ['an ObjectIdentifier', 'STRING'],
];

const mismatches = faultsByCode((code) => {
  const [name, taken] = valueTypes[code >> 8] ?? ['a value of another type', 'another type'];
  return new Fault(
    ErrorCode.TYPE_MISMATCH,
    `The device has ${name} here, which a tag of the type ${dataTypeName(code & 0xff)} does not take; it needs ${taken}.`,
  );
});

/** The device has a value with this tag number, which a tag of this type does not take. */
export function mismatch(number: number, type: DataType): Fault {
  return mismatches(number * 0x100 + type);
}

export const writeMismatch = new Fault(
  ErrorCode.TYPE_MISMATCH,
  'A value of this type cannot be written to this property.',
);

export const outOfRange = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The value is beyond what the type of the tag can hold.',
);

export const writeOutOfRange = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The value is beyond what the property can hold; it was not sent.',
);

/** `most` is the largest APDU that the device takes. Requests are not sent in segments. */
export function tooLong(most: number): Fault {
  return new Fault(
    ErrorCode.VALUE_OUT_OF_RANGE,
    `The value does not fit into one request of ${most} bytes, which is the most that the device takes; it was not sent.`,
  );
}

/** A write was sent and not answered. */
export const writeUnanswered = new Fault(
  ErrorCode.NO_RESPONSE,
  'The device has not answered the write: it may have written the value or not. Read the tag before it is written again.',
);

/** The answer does not say what was asked for, or ends too early. */
export const undecodable = new Fault(
  ErrorCode.DECODE_FAILED,
  'The answer of the device cannot be decoded, or does not fit the request.',
);

export const refusedAsTooMuch = new Fault(
  ErrorCode.READ_FAILED,
  'The device cannot send this value: it is larger than its messages can be.',
);

/** One fault for each code of reads, and one of writes. */
function faultsOf(
  make: (code: number, isWrite: boolean) => Fault,
): (code: number, isWrite: boolean) => Fault {
  const reads = faultsByCode((code) => make(code, false));
  const writes = faultsByCode((code) => make(code, true));
  return (code, isWrite) => (isWrite ? writes : reads)(code);
}

/** What an error of one property means; `error` is class * 65536 + code. */
export const errorFault = faultsOf((error, isWrite) => {
  if (Number.isNaN(error)) return undecodable;
  const what = isWrite ? 'write' : 'read';
  return new Fault(
    codeOf(error % 0x1_0000, isWrite),
    `The device refused the ${what} with ${errorInWords(error)}.`,
  );
});

function codeOf(code: number, isWrite: boolean): number {
  if (!isWrite) return ErrorCode.READ_FAILED;
  if (code === BacnetError.VALUE_OUT_OF_RANGE) return ErrorCode.VALUE_OUT_OF_RANGE;
  return code === BacnetError.INVALID_DATA_TYPE ? ErrorCode.TYPE_MISMATCH : ErrorCode.WRITE_FAILED;
}

export function errorInWords(error: number): string {
  const code = error % 0x1_0000;
  const name = errorNames[code];
  const number = `error ${Math.floor(error / 0x1_0000)}/${code}`;
  return (name === undefined ? number : `${number} (${name})`) + (hints[code] ?? '');
}

export const rejectFault = refusals('reject', rejectNames);
export const abortFault = refusals('abort', abortNames);

function refusals(kind: string, names: Readonly<Record<number, string>>): ReturnType<typeof faultsOf> {
  return faultsOf((reason, isWrite) => {
    const name = names[reason] ?? 'of no known name';
    const code = isWrite ? ErrorCode.WRITE_FAILED : ErrorCode.READ_FAILED;
    return new Fault(code, `The device refused the request with ${kind} ${reason} (${name}).`);
  });
}
