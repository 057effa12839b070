import type { ErrorName } from '@tagway/schemas';

/** Errors that several endpoints answer with for the same reason. */

/** A name is too long for a node or a group to have it. */
export const nameErrors = [
  'NODE_NAME_TOO_LONG',
  'GROUP_NAME_TOO_LONG',
] as const satisfies readonly ErrorName[];

/** The node is not there, or is not a driver. */
export const driverErrors = [
  ...nameErrors,
  'NODE_NOT_FOUND',
  'GROUP_NOT_ALLOWED',
] as const satisfies readonly ErrorName[];

/** The group of a driver is not there. */
export const groupErrors = [...driverErrors, 'GROUP_NOT_FOUND'] as const satisfies readonly ErrorName[];

/** A tag is not as it must be. */
export const tagErrors = [
  'TAG_ATTRIBUTE_UNSUPPORTED',
  'TAG_TYPE_UNSUPPORTED',
  'TAG_ADDRESS_INVALID',
  'TAG_NAME_TOO_LONG',
  'TAG_ADDRESS_TOO_LONG',
  'TAG_DESCRIPTION_TOO_LONG',
  'TAG_PRECISION_INVALID',
  'TAG_DECIMAL_INVALID',
  'TAG_BIAS_INVALID',
  'TAG_DEADBAND_INVALID',
  'TAG_UNIT_INVALID',
  'TAG_SPAN_INVALID',
] as const satisfies readonly ErrorName[];

/** The device cannot be asked or does not answer as it should; a driver may add codes of its own. */
export const deviceErrors = [
  'READ_FAILED',
  'DISCONNECTED',
  'DECODE_FAILED',
  'NOT_RUNNING',
  'OUT_OF_ORDER',
  'NO_RESPONSE',
] as const satisfies readonly ErrorName[];

/** A template, or the group of one, has a name that is too long, or the template is not there. */
export const templateErrors = [
  'GROUP_NAME_TOO_LONG',
  'TEMPLATE_NOT_FOUND',
  'TEMPLATE_NAME_TOO_LONG',
] as const satisfies readonly ErrorName[];
