import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../fault.ts';

/** One fault object per cause: points fail by the thousand, and a fault carries a stack trace. */

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
