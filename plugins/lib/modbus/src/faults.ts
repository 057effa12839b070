import { ErrorCode, Fault } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';

/** Reading unit 0 of a serial line. */
export const broadcastRead = new Fault(
  ErrorCode.TAG_NOT_READABLE,
  'Unit 0 means all devices on the line; they obey a write to it and never answer, so it cannot be read.',
);

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

/** Whether a gateway reports that it cannot reach the unit. */
export function isUnreachable(exception: number): boolean {
  return exception === Exception.GATEWAY_PATH_UNAVAILABLE || exception === Exception.GATEWAY_TARGET_FAILED;
}

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

/** An exception code in words. */
export function describeException(exception: number): string {
  const name = exceptionNames[exception];
  return name === undefined ? `exception ${exception}` : `exception ${exception} (${name})`;
}

/** The fault of a read that the device refused with this exception code. */
export const readRefused = faultsByCode(
  (exception) =>
    new Fault(ErrorCode.READ_FAILED, `The device refused the read with ${describeException(exception)}.`),
);

/** The fault of a write that the device refused with this exception code. */
export const writeRefused = faultsByCode(
  (exception) =>
    new Fault(ErrorCode.WRITE_FAILED, `The device refused the write with ${describeException(exception)}.`),
);
