import { ErrorCode, Fault } from '@tagway/sdk';
import { Cause } from './protocol.ts';

/** One fault object per cause: points fail by the thousand. */

export const neverReported = new Fault(
  ErrorCode.DISCONNECTED,
  'The station has reported no object of this address under its common address; check both, and whether the interrogation covers the object.',
);

export const invalid = new Fault(
  ErrorCode.VALUE_EXPIRED,
  'The station marks the value as invalid (quality bit IV): it does not know the value at present.',
);

export const notFinite = new Fault(
  ErrorCode.VALUE_EXPIRED,
  'The station sends something that is not a number in the place of the value.',
);

export const wrongType = new Fault(
  ErrorCode.TYPE_MISMATCH,
  'The station reports this object with a type that does not fit the type of the tag; the README of the plugin has the table.',
);

export const outOfRange = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The value that the station reports is beyond the range of the type of the tag.',
);

export const noState = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The double point is neither on nor off; give the tag the type UINT8 to see intermediate (0) and faulty (3) states.',
);

export const notConfirmed = new Fault(
  ErrorCode.NO_RESPONSE,
  'The station did not confirm the command within t1; whether it was carried out is not known.',
);

export const silentStation = new Fault(
  ErrorCode.NO_RESPONSE,
  'The station did not answer the interrogation within t1.',
);

export const terminatedNegatively = new Fault(
  ErrorCode.WRITE_FAILED,
  'The station confirmed the command and then ended it as failed (negative activation termination).',
);

const refusals = new Map<number, Fault>([
  [Cause.UNKNOWN_TYPE, refusalOf('it does not know this type of command (cause 44)')],
  [Cause.UNKNOWN_CAUSE, refusalOf('it does not know this cause of transmission (cause 45)')],
  [Cause.UNKNOWN_COMMON_ADDRESS, refusalOf('it does not know the common address (cause 46)')],
  [Cause.UNKNOWN_OBJECT, refusalOf('it has no such object to command (cause 47)')],
]);

const negative = refusalOf('its confirmation is negative, as when it is switched to local control');

/** Why a command failed that was answered with this cause of transmission. */
export function refusal(cause: number): Fault {
  return refusals.get(cause) ?? negative;
}

function refusalOf(reason: string): Fault {
  return new Fault(ErrorCode.WRITE_FAILED, `The station refused the command: ${reason}.`);
}

/** A value that no command can carry. */
export function unwritable(expected: string): Fault {
  return new Fault(ErrorCode.VALUE_OUT_OF_RANGE, `The value cannot be sent: ${expected}.`);
}
