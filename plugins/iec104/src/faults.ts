import { dataTypeName, ErrorCode, Fault, type DataType } from '@tagway/sdk';
import { Cause } from '@tagway/iec104';

/** One fault object per cause: points fail by the thousand. */

export const neverReported = new Fault(
  ErrorCode.DISCONNECTED,
  'The station has reported no object of this address under its common address; check both, and whether the interrogation covers the object.',
);

/** The same of a tag that may show a counter, while counters are not asked for. */
export const counterNotAsked = new Fault(
  ErrorCode.DISCONNECTED,
  'The station has reported no object of this address under its common address; check both. ' +
    'Of a counter set counter_interval: counters are reported when they are asked for, and the setting is 0.',
);

/** Why objects are not there: the station refused the interrogation with this cause. `others`: the common addresses under which it reports. */
export function notInterrogated(cause: number, ca: number, others: ReadonlySet<number>): Fault {
  const isAddress = cause === Cause.UNKNOWN_COMMON_ADDRESS;
  const what = isAddress
    ? `The station does not know the common address ${ca} (cause 46)${reportsUnder(others)}: check the setting ca.`
    : `The station refused the general interrogation: ${reasonOf(cause)}.`;
  return new Fault(ErrorCode.DISCONNECTED, `${what} It has reported no object of this address.`);
}

/** Why objects are not there: the station does not answer the interrogation. */
export function notAnswered(ca: number, others: ReadonlySet<number>): Fault {
  return new Fault(
    ErrorCode.DISCONNECTED,
    `The station does not answer interrogations of the common address ${ca} ` +
      `and has reported no object of this address${reportsUnder(others)}: check the setting ca.`,
  );
}

function reportsUnder(others: ReadonlySet<number>): string {
  return others.size === 0 ? '' : `, but reports under the common address ${[...others].join(', ')}`;
}

export const invalid = new Fault(
  ErrorCode.VALUE_EXPIRED,
  'The station marks the value as invalid (quality bit IV): it does not know the value at present.',
);

export const notFinite = new Fault(
  ErrorCode.VALUE_EXPIRED,
  'The station sends something that is not a number in the place of the value.',
);

/** The station reports the object as something that a tag of this type cannot show. */
export function wrongType(reported: string, fitting: readonly DataType[], type: DataType): Fault {
  const types = fitting.map(dataTypeName).join(' or ');
  return new Fault(
    ErrorCode.TYPE_MISMATCH,
    `The station reports this object as ${reported}, which a tag of the type ${types} shows; this tag has the type ${dataTypeName(type)}.`,
  );
}

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

export const notSelected = new Fault(
  ErrorCode.NO_RESPONSE,
  'The station did not confirm the selection within t1, so the command was not sent. ' +
    'A station without selection is written with select_before_operate off.',
);

export const silentStation = new Fault(
  ErrorCode.NO_RESPONSE,
  'The station did not answer the interrogation within t1.',
);

export const terminatedNegatively = new Fault(
  ErrorCode.WRITE_FAILED,
  'The station confirmed the command and then ended it as failed (negative activation termination).',
);

/** What a station refuses: a command without a selection, the selection before one, or the command after its selection. */
export type Step = 'command' | 'selection' | 'execution';

const refusedSteps: Readonly<Record<Step, string>> = {
  command: 'The station refused the command',
  selection: 'The station refused the selection before the command',
  execution: 'The station took the selection and refused to execute the command',
};

const negative = 'its confirmation is negative, as when it is switched to local control';

const reasons = new Map<number, string>([
  [Cause.UNKNOWN_TYPE, 'it does not know this type of command (cause 44)'],
  [Cause.UNKNOWN_CAUSE, 'it does not know this cause of transmission (cause 45)'],
  [Cause.UNKNOWN_COMMON_ADDRESS, 'it does not know the common address (cause 46); check the setting ca'],
  [Cause.UNKNOWN_OBJECT, 'it has no such object to command (cause 47)'],
]);

function reasonOf(cause: number): string {
  return reasons.get(cause) ?? negative;
}

/** What a setting may have to do with it. */
function hintOf(step: Step, cause: number): string {
  if (step === 'selection') return ' A station without selection is written with select_before_operate off.';
  const isDirect = step === 'command' && !reasons.has(cause);
  return isDirect ? ' Some stations take a command only after its selection: set select_before_operate.' : '';
}

/** A command that was answered with this cause of transmission. */
export class RefusedCommand extends Fault {
  /** The station does not know the type of command, or has no such object for it. */
  readonly isUnknown: boolean;

  constructor(cause: number, step: Step) {
    super(ErrorCode.WRITE_FAILED, `${refusedSteps[step]}: ${reasonOf(cause)}.${hintOf(step, cause)}`);
    this.isUnknown = cause === Cause.UNKNOWN_TYPE || cause === Cause.UNKNOWN_OBJECT;
  }
}

/** A value that no command can carry. */
export function unwritable(expected: string): Fault {
  return new Fault(ErrorCode.VALUE_OUT_OF_RANGE, `The value cannot be sent: ${expected}.`);
}
