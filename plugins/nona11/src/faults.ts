import { ErrorCode, Fault } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';

/** The family's code for an address that is not valid for the device. */
const addressNotValid = 10_400;

export const beyondAnswer = new Fault(
  addressNotValid,
  'The answer of the site to this command ends before the bytes that the tag stands for; check offset and length.',
);

export const leftAlone = new Fault(
  ErrorCode.NO_RESPONSE,
  'The site has not answered lately and is asked again from time to time, because others on the same connection answer.',
);

export const noText = new Fault(
  ErrorCode.DECODE_FAILED,
  'The bytes that the tag stands for are no UTF-8 text; check offset and length.',
);

/** The fault of a refusal. */
export const refusal = faultsByCode(
  (code) =>
    new Fault(
      ErrorCode.READ_FAILED,
      `The device refused the command with code ${code}; its manual explains it.`,
    ),
);
