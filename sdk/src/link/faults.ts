import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../fault.ts';

/** One fault object for each cause: thousands of points may fail at once, and a fault has a stack trace. */

export const disconnected = new Fault(
  ErrorCode.DISCONNECTED,
  'The link to the device is down; the driver keeps trying to restore it.',
);

export const noResponse = new Fault(
  ErrorCode.NO_RESPONSE,
  'The device did not answer in time; check its address or unit number, the cabling and the timeout setting.',
);

export const malformed = new Fault(
  ErrorCode.DECODE_FAILED,
  'The device sent a reply that does not fit the request; the driver dropped the connection and makes a new one.',
);

export const damaged = new Fault(
  ErrorCode.DECODE_FAILED,
  'The reply arrived damaged: its checksum is wrong. Check the cabling, the termination of the line, and that baud rate, parity and stop bits are those of the device.',
);

/** Of a write, by a driver that encodes values. */
export const mismatch = new Fault(
  ErrorCode.TYPE_MISMATCH,
  'The value is of another kind (number, text, bytes, truth value) than the type of the tag.',
);

/** Of a write, by a driver that encodes values. */
export const outOfRange = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The value lies outside the range of the type of the tag, or is not a number.',
);
