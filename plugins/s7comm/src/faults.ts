import { ErrorCode, Fault } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';

/** One fault object per cause: points fail by the thousand, and a fault carries a stack trace. */

/** Codes of the S7 driver: 10100 and the return code of an item. */
export const S7Error = {
  HARDWARE: 10101,
  ACCESS_DENIED: 10103,
  ADDRESS: 10105,
  TYPE_UNSUPPORTED: 10106,
  TYPE_INCONSISTENT: 10107,
  OBJECT_MISSING: 10110,
  NO_VALUE: 10152,
  VALUE_TOO_SHORT: 10153,
} as const;

const itemFaults: Readonly<Record<number, Fault>> = {
  0x01: new Fault(S7Error.HARDWARE, 'The PLC reports a hardware error for this address.'),
  0x03: new Fault(
    S7Error.ACCESS_DENIED,
    'The PLC denies access to this address: check its protection settings, and that the data block may be accessed from outside.',
  ),
  0x05: new Fault(
    S7Error.ADDRESS,
    'The PLC does not have this address: it lies beyond the end of the area or data block.',
  ),
  0x06: new Fault(S7Error.TYPE_UNSUPPORTED, 'The PLC does not support this data type.'),
  0x07: new Fault(S7Error.TYPE_INCONSISTENT, 'The PLC says that data type and length do not fit together.'),
  0x0a: new Fault(
    S7Error.OBJECT_MISSING,
    'The PLC does not have this object: the data block does not exist, or has optimized block access switched on.',
  ),
};

export const noValue = new Fault(
  S7Error.NO_VALUE,
  'The answer of the PLC ended before the value of this address.',
);

export const valueTooShort = new Fault(
  S7Error.VALUE_TOO_SHORT,
  'The PLC sent fewer bytes for this address than were asked for.',
);

export const notDecimal = new Fault(
  ErrorCode.DECODE_FAILED,
  'The word of this timer or counter does not hold decimal digits.',
);

/** The PLC has switched off reading and writing by others (error 0x8104). */
const putGetOff = new Fault(
  S7Error.ACCESS_DENIED,
  'The PLC refuses reading and writing from outside: permit access with PUT/GET communication in its protection settings.',
);

const headerNames: Readonly<Record<number, string>> = {
  0x8001: 'not possible in this operating state',
  0x8003: 'a hardware error',
  0x8301: 'not enough memory',
  0x8304: 'a second call for the same thing',
  0x8500: 'a PDU of the wrong size',
  0x8701: 'an address that is wrong',
  0xd401: 'a function that is not known',
  0xd402: 'a function that is not known',
  0xd403: 'a function that is not known',
  0xd601: 'a password that is wrong',
  0xd602: 'no right to do so: a password is needed',
  0xd604: 'no right to do so: the connection has none',
};

/** What the return code of an item of a read means. */
export const readFault = faultsByCode((code) => itemFault(ErrorCode.READ_FAILED, code));

/** What the return code of an item of a write means. */
export const writeFault = faultsByCode((code) => itemFault(ErrorCode.WRITE_FAILED, code));

/** What the error of a whole answer to a read means. */
export const readRefused = faultsByCode((error) => requestFault(ErrorCode.READ_FAILED, error));

/** What the error of a whole answer to a write means. */
export const writeRefused = faultsByCode((error) => requestFault(ErrorCode.WRITE_FAILED, error));

/** An error of an answer, in words. */
export function errorInWords(error: number): string {
  const name = headerNames[error];
  const code = `0x${error.toString(16).padStart(2, '0')}`;
  return name === undefined ? `error ${code}` : `error ${code} (${name})`;
}

function itemFault(code: number, error: number): Fault {
  return itemFaults[error] ?? new Fault(code, `The PLC refused the item with ${errorInWords(error)}.`);
}

function requestFault(code: number, error: number): Fault {
  if (error === 0x8104) return putGetOff;
  return new Fault(code, `The PLC refused the request with ${errorInWords(error)}.`);
}
