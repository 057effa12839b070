import { ErrorCode, Fault } from '@tagway/sdk';
import { StatusCodes, type StatusCode } from 'node-opcua-client';

/** One fault object per cause: points fail by the thousand, and a fault carries a stack trace. */

export const disconnected = new Fault(
  ErrorCode.DISCONNECTED,
  'There is no session with the OPC UA server; the driver keeps trying to open one.',
);

export const noResponse = new Fault(
  ErrorCode.NO_RESPONSE,
  'The OPC UA server did not answer in time; see the timeout setting.',
);

export const silent = new Fault(
  ErrorCode.NO_RESPONSE,
  'The OPC UA server has stopped to report changes of this group, so its values may be old; the driver subscribes anew.',
);

export const notReady = new Fault(ErrorCode.NOT_READY, 'The OPC UA server has no value for this node yet.');

export const typeMismatch = new Fault(
  ErrorCode.TYPE_MISMATCH,
  "The type of the tag is not that of the server's value; for one element of an array the address needs an index.",
);

export const outOfRange = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The time lies outside of what a UINT32 of seconds since 1970 can hold.',
);

export const malformed = new Fault(
  ErrorCode.DECODE_FAILED,
  "The OPC UA server's reply does not fit the request.",
);

export const undecodable = new Fault(
  ErrorCode.DECODE_FAILED,
  "The OPC UA server's answer cannot be decoded: its encoding is wrong, or the value is larger than the driver takes.",
);

export const readOnlyText = new Fault(
  ErrorCode.TAG_NOT_WRITABLE,
  'The node holds a LocalizedText, which the driver reads but does not write.',
);

const reads = new Map<number, Fault>();
const writes = new Map<number, Fault>();
const sizes = new Map<number, Fault>();

/** The fault of a read that the server answered with this status. */
export function readFault(status: StatusCode): Fault {
  if (status.equals(StatusCodes.BadWaitingForInitialData)) return notReady;
  return cached(reads, ErrorCode.READ_FAILED, 'The OPC UA server refused the read with', status);
}

/** The fault of a node whose value alone makes an answer too large. */
export function sizeFault(status: StatusCode): Fault {
  return cached(sizes, ErrorCode.READ_FAILED, 'The value of this node is too large to be read:', status);
}

/** The fault of a write that the server answered with this status. */
export function writeFault(status: StatusCode): Fault {
  if (status.equals(StatusCodes.BadTypeMismatch)) return typeMismatch;
  let code: number = ErrorCode.WRITE_FAILED;
  if (status.equals(StatusCodes.BadNotWritable)) code = ErrorCode.TAG_NOT_WRITABLE;
  if (status.equals(StatusCodes.BadOutOfRange)) code = ErrorCode.VALUE_OUT_OF_RANGE;
  return cached(writes, code, 'The OPC UA server refused the write with', status);
}

function cached(faults: Map<number, Fault>, code: number, what: string, status: StatusCode): Fault {
  const known = faults.get(status.value);
  if (known !== undefined) return known;
  const fault = new Fault(code, `${what} ${status.name}: ${status.description.replace(/\.?$/, '.')}`);
  faults.set(status.value, fault);
  return fault;
}
