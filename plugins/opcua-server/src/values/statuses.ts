import { ErrorCode, Quality } from '@tagway/sdk';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';

/** The status of a tag with an error; every other error is BadDeviceFailure, and BadUnexpectedError where the plugin made the code. */
const statusOfFault: ReadonlyMap<number, StatusCode> = new Map<number, StatusCode>([
  [ErrorCode.DISCONNECTED, StatusCodes.BadNoCommunication],
  [ErrorCode.NO_RESPONSE, StatusCodes.BadTimeout],
  [ErrorCode.NOT_READY, StatusCodes.BadWaitingForInitialData],
  [ErrorCode.NOT_RUNNING, StatusCodes.BadOutOfService],
  [ErrorCode.VALUE_EXPIRED, StatusCodes.BadNoData],
  [ErrorCode.READ_FAILED, StatusCodes.BadDeviceFailure],
  [ErrorCode.DECODE_FAILED, StatusCodes.BadDecodingError],
  [ErrorCode.OUT_OF_ORDER, StatusCodes.BadDecodingError],
  [ErrorCode.TYPE_MISMATCH, StatusCodes.BadTypeMismatch],
  [ErrorCode.VALUE_OUT_OF_RANGE, StatusCodes.BadOutOfRange],
  [ErrorCode.TAG_NOT_READABLE, StatusCodes.BadNotReadable],
  [ErrorCode.TAG_ADDRESS_INVALID, StatusCodes.BadConfigurationError],
  [ErrorCode.TAG_TYPE_UNSUPPORTED, StatusCodes.BadConfigurationError],
]);

export function statusOf(fault: number): StatusCode {
  return statusOfFault.get(fault) ?? StatusCodes.BadDeviceFailure;
}

/** The status with which a write that failed is answered; every other error is BadDeviceFailure. */
const statusOfRefusal: ReadonlyMap<number, StatusCode> = new Map<number, StatusCode>([
  [ErrorCode.DISCONNECTED, StatusCodes.BadNoCommunication],
  [ErrorCode.NO_RESPONSE, StatusCodes.BadTimeout],
  [ErrorCode.NOT_RUNNING, StatusCodes.BadOutOfService],
  [ErrorCode.NODE_NOT_RUNNING, StatusCodes.BadOutOfService],
  [ErrorCode.NODE_NOT_FOUND, StatusCodes.BadNodeIdUnknown],
  [ErrorCode.GROUP_NOT_FOUND, StatusCodes.BadNodeIdUnknown],
  [ErrorCode.TAG_NOT_FOUND, StatusCodes.BadNodeIdUnknown],
  [ErrorCode.TAG_NOT_WRITABLE, StatusCodes.BadNotWritable],
  [ErrorCode.TYPE_MISMATCH, StatusCodes.BadTypeMismatch],
  [ErrorCode.VALUE_OUT_OF_RANGE, StatusCodes.BadOutOfRange],
  [ErrorCode.STRING_TOO_LONG, StatusCodes.BadOutOfRange],
  [ErrorCode.USER_NOT_PERMITTED, StatusCodes.BadUserAccessDenied],
  [ErrorCode.BUSY, StatusCodes.BadResourceUnavailable],
  [ErrorCode.STANDBY, StatusCodes.BadNoCommunication],
]);

export function refusalOf(fault: number): StatusCode {
  return statusOfRefusal.get(fault) ?? StatusCodes.BadDeviceFailure;
}

/** The status of a value, by the flags of its quality. The first of them that is set decides. */
const statusOfQuality: readonly (readonly [flag: number, status: StatusCode])[] = [
  [Quality.OUT_OF_SERVICE, StatusCodes.UncertainSimulatedValue],
  [Quality.OVERFLOW, StatusCodes.UncertainEngineeringUnitsExceeded],
  [Quality.STALE, StatusCodes.UncertainLastUsableValue],
  [Quality.BLOCKED, StatusCodes.UncertainLastUsableValue],
  [Quality.SUBSTITUTED, StatusCodes.UncertainSubstituteValue],
  [Quality.UNCERTAIN, StatusCodes.Uncertain],
  [Quality.OVERRIDDEN, StatusCodes.GoodLocalOverride],
];

/** Flags that leave the value good, such as an alarm, are not in it. */
export function statusOfFlags(quality: number): StatusCode {
  for (const [flag, status] of statusOfQuality) if ((quality & flag) !== 0) return status;
  return StatusCodes.Good;
}
