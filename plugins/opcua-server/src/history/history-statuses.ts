import { ErrorCode } from '@tagway/sdk';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import { refusalOf, statusOf } from '../values/statuses.ts';

/** The status of a value of a history that is none. */
export function statusOfPoint(error: number): StatusCode {
  return error === ErrorCode.HISTORY_GAP ? StatusCodes.BadNoData : statusOf(error);
}

/** The status with which a read is answered that the gateway has refused. */
export function historyRefusalOf(fault: number): StatusCode {
  if (fault === ErrorCode.HISTORY_NOT_KEPT) return StatusCodes.BadHistoryOperationUnsupported;
  return fault === ErrorCode.PARAM_INVALID ? StatusCodes.BadInvalidArgument : refusalOf(fault);
}
