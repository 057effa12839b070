import { Exception } from '@tagway/modbus/server';
import { ErrorCode, type Fault } from '@tagway/sdk';

const values = new Set<number>([
  ErrorCode.TYPE_MISMATCH,
  ErrorCode.VALUE_OUT_OF_RANGE,
  ErrorCode.VALUE_EXPIRED,
  ErrorCode.STRING_TOO_LONG,
]);
const addresses = new Set<number>([ErrorCode.TAG_NOT_WRITABLE, ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED]);
const unreachable = new Set<number>([
  ErrorCode.DISCONNECTED,
  ErrorCode.NO_RESPONSE,
  ErrorCode.NOT_RUNNING,
  ErrorCode.NODE_NOT_RUNNING,
  ErrorCode.NODE_NOT_FOUND,
  ErrorCode.GROUP_NOT_FOUND,
  ErrorCode.TAG_NOT_FOUND,
  ErrorCode.STANDBY,
]);

/** The exception code that a master gets for the fault of a write. */
export function exceptionOf({ code }: Fault): number {
  if (values.has(code)) return Exception.ILLEGAL_DATA_VALUE;
  if (addresses.has(code)) return Exception.ILLEGAL_DATA_ADDRESS;
  if (unreachable.has(code)) return Exception.GATEWAY_TARGET_FAILED;
  return code === ErrorCode.BUSY ? Exception.SERVER_DEVICE_BUSY : Exception.SERVER_DEVICE_FAILURE;
}

/** The exception code for several writes, some of which may have been carried out; 0: all were. */
export function exceptionOfAll(faults: readonly (Fault | undefined)[]): number {
  const [first, ...others] = faults.map((fault) => (fault === undefined ? 0 : exceptionOf(fault)));
  return others.every((other) => other === first) ? (first ?? 0) : Exception.SERVER_DEVICE_FAILURE;
}
