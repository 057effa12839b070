import { ErrorCode, Fault } from '@tagway/sdk';

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

export const mismatch = new Fault(
  ErrorCode.TYPE_MISMATCH,
  'The value that the device has here does not fit the type of the tag.',
);

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

/** A request that changes something was sent, and then there was silence. */
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

const faults = new Map<string, Fault>();

function faultOf(code: number, clause: string): Fault {
  const key = `${code} ${clause}`;
  const known = faults.get(key) ?? new Fault(code, `The device refused ${clause}.`);
  faults.set(key, known);
  return known;
}

/** What an error of one property means; `error` is class * 65536 + code. */
export function errorFault(error: number, isWrite: boolean): Fault {
  if (Number.isNaN(error)) return undecodable;
  const code = error % 0x1_0000;
  return faultOf(codeOf(code, isWrite), `the ${isWrite ? 'write' : 'read'} with ${errorInWords(error)}`);
}

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

export function rejectFault(reason: number, isWrite: boolean): Fault {
  const name = rejectNames[reason] ?? 'of no known name';
  return faultOf(
    isWrite ? ErrorCode.WRITE_FAILED : ErrorCode.READ_FAILED,
    `the request with reject ${reason} (${name})`,
  );
}

export function abortFault(reason: number, isWrite: boolean): Fault {
  const name = abortNames[reason] ?? 'of no known name';
  return faultOf(
    isWrite ? ErrorCode.WRITE_FAILED : ErrorCode.READ_FAILED,
    `the request with abort ${reason} (${name})`,
  );
}
