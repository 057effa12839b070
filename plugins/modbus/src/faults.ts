import { ErrorCode, Fault } from '@tagway/sdk';
import { damaged, noResponse } from '@tagway/sdk/link';

/** Reading unit 0 of a serial line. */
export const broadcastRead = new Fault(
  ErrorCode.TAG_NOT_READABLE,
  'Unit 0 means all devices on the line; they obey a write to it and never answer, so it cannot be read.',
);

/** Whether a fault is that of one request, and the link still serves others. */
export function isOfRequest(fault: Fault): boolean {
  return fault === noResponse || fault === damaged;
}

/** Exception codes of the Modbus Application Protocol V1.1b3, section 7. */
export const Exception = {
  ILLEGAL_FUNCTION: 1,
  ILLEGAL_DATA_ADDRESS: 2,
  ILLEGAL_DATA_VALUE: 3,
  SERVER_DEVICE_FAILURE: 4,
  ACKNOWLEDGE: 5,
  SERVER_DEVICE_BUSY: 6,
  GATEWAY_PATH_UNAVAILABLE: 10,
  GATEWAY_TARGET_FAILED: 11,
} as const;

const exceptionNames: Readonly<Record<number, string>> = {
  1: 'illegal function',
  2: 'illegal data address',
  3: 'illegal data value',
  4: 'server device failure',
  5: 'acknowledge',
  6: 'server device busy',
  8: 'memory parity error',
  10: 'gateway path unavailable',
  11: 'gateway target device failed to respond',
};

function describe(exception: number): string {
  const name = exceptionNames[exception];
  return name === undefined ? `exception ${exception}` : `exception ${exception} (${name})`;
}

const refusedReads = new Map<number, Fault>();
const refusedWrites = new Map<number, Fault>();

/** The fault of a read that the device refused with this exception code. */
export function readRefused(exception: number): Fault {
  return cached(refusedReads, exception, ErrorCode.READ_FAILED, 'read');
}

/** The fault of a write that the device refused with this exception code. */
export function writeRefused(exception: number): Fault {
  return cached(refusedWrites, exception, ErrorCode.WRITE_FAILED, 'write');
}

function cached(faults: Map<number, Fault>, exception: number, code: number, verb: string): Fault {
  const known = faults.get(exception);
  if (known !== undefined) return known;
  const fault = new Fault(code, `The device refused the ${verb} with ${describe(exception)}.`);
  faults.set(exception, fault);
  return fault;
}
