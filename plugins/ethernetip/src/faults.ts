import { ErrorCode, Fault } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';

/** One fault object per cause: points fail by the thousand, and a fault carries a stack trace. */

/** General status codes of CIP that the driver acts on. */
export const Status = {
  OK: 0x00,
  CONNECTION: 0x01,
  NO_RESOURCE: 0x02,
  PATH_SYNTAX: 0x04,
  PATH_UNKNOWN: 0x05,
  PARTIAL: 0x06,
  CONNECTION_LOST: 0x07,
  NO_SERVICE: 0x08,
  ATTRIBUTE_LIST: 0x0a,
  STATE_CONFLICT: 0x0c,
  DEVICE_STATE: 0x10,
  REPLY_TOO_LARGE: 0x11,
  ATTRIBUTE_UNKNOWN: 0x14,
  NO_OBJECT: 0x16,
  REPLY_NOT_ROUTED: 0x1b,
  EMBEDDED: 0x1e,
  VENDOR: 0x1f,
  BAD_PARAMETER: 0x20,
  EXTENDED: 0xff,
} as const;

/** Extended status codes of a refused connection that the driver acts on. */
export const Refused = {
  DUPLICATE: 0x0100,
  TRANSPORT: 0x0103,
  SIZE: 0x0109,
  NONE_LEFT: 0x0113,
  NONE_LEFT_AT_TARGET: 0x011a,
  TRANSPORT_CLASS: 0x011c,
  SIZE_TO_TARGET: 0x0127,
  SIZE_TO_GATEWAY: 0x0128,
} as const;

const general: Readonly<Record<number, string>> = {
  0x01: 'the way to the controller failed',
  0x02: 'the controller has no resources left for it',
  0x03: 'a value of the request is wrong',
  0x04: 'there is no such tag or member',
  0x05: 'there is no such tag, or an element is beyond the end of its array',
  0x06: 'the reply holds only a part of the value',
  0x07: 'the connection is lost',
  0x08: 'the controller does not support the service',
  0x09: 'the value of an attribute is wrong',
  0x0a: 'an attribute in the list is wrong',
  0x0b: 'the object is in that state already',
  0x0c: 'the state of the object does not allow it',
  0x0d: 'the object exists already',
  0x0e: 'it cannot be set',
  0x0f: 'the privilege is missing: the tag may be read-only or a constant, or the access from outside is switched off',
  0x10: 'the state of the controller does not allow it: check its mode and key switch',
  0x11: 'the reply is larger than a message',
  0x12: 'a value would be cut in two',
  0x13: 'the request has too little data',
  0x14: 'there is no such attribute',
  0x15: 'the request has too much data',
  0x16: 'there is no such object',
  0x1a: 'the request is larger than what the way to the controller takes',
  0x1b: 'the reply is larger than what the way from the controller takes',
  0x1c: 'the list of attributes is too short',
  0x1d: 'the list of attributes is wrong',
  0x1e: 'a part of the request failed',
  0x1f: 'a fault of the manufacturer',
  0x20: 'a parameter is wrong',
  0x21: 'it can be written only once',
  0x22: 'the reply is wrong',
  0x25: 'the key of the path does not fit',
  0x26: 'the size of the path is wrong',
  0x27: 'the attribute cannot be set now',
  0x28: 'there is no such member',
  0x29: 'the member cannot be set',
  0xd1: 'the module is not in run mode',
  0xfb: 'the message port does not allow it',
  0xfc: 'the type of the message is wrong',
  0xfd: 'the message is not initialized',
  0xfe: 'the controller took too long',
  0xff: 'a fault that the extended status names',
};

/** By general status × 65536 + extended status. */
const extended: Readonly<Record<number, string>> = {
  0x01_0100: 'the connection is in use already',
  0x01_0103: 'the controller does not support such connections',
  0x01_0106: 'another program owns the connection',
  0x01_0107: 'there is no such connection',
  0x01_0109: 'the size of the connection is not supported',
  0x01_0110: 'the target is not configured',
  0x01_0111: 'the interval of the connection is not supported',
  0x01_0112: 'the interval of the connection is not supported',
  0x01_0113: 'the controller has no connection left',
  0x01_0114: 'the module is another one than the path says',
  0x01_0115: 'the module is of another type than the path says',
  0x01_0116: 'the module is of another revision than the path says',
  0x01_011a: 'the controller has no connection left',
  0x01_011c: 'the controller does not support such connections',
  0x01_0127: 'the size of the connection is not supported',
  0x01_0128: 'the size of the connection is not supported',
  0x01_0203: 'the connection timed out',
  0x01_0204: 'nobody answers there: check the slot or the route, and that the controller is in it',
  0x01_0205: 'the message that was to be passed on is wrong',
  0x01_0206: 'the message is too large to be passed on',
  0x01_0301: 'a module on the way has no buffer left',
  0x01_0311: 'the route names a port that the module does not have: 1 is the backplane, 2 mostly Ethernet',
  0x01_0312: 'the route names an address or a slot that is not there',
  0x01_0315: 'the route has a segment that a module on it does not understand',
  0x0c_8010: 'the controller is downloading or starting',
  0x0c_8011: 'the memory of tags is in a state that does not allow it',
  0x10_2101: 'the key switch does not allow it',
  0x10_2802: 'the controller is safety-locked',
  0x1f_0203: 'it took too long',
  0xff_2101: 'the key switch does not allow it',
  0xff_2102: 'a password is needed',
  0xff_2103: 'the password is wrong',
  0xff_2104: 'the offset is beyond the end of the tag',
  0xff_2105: 'the element is beyond the end of the array',
  0xff_2106: 'the tag is in use',
  0xff_2107: 'the type of the value is not that of the tag',
  0xff_2108: 'the program is being uploaded or downloaded',
  0xff_210a: 'the name of a tag is wrong',
  0xff_210b: 'there is no such tag',
  0xff_2110: 'the tag cannot be written',
  0xff_2111: 'the tag cannot be read',
  0xff_2113: 'the controller is faulted',
};

/** Extended codes of NJ and NX, which come with general status 1F and 20. */
const omron: Readonly<Record<number, string>> = {
  0x8007: 'the variable cannot be accessed: publish it to the network',
  0x8009: 'a segment of the path is wrong',
  0x800f: 'the length of the data is wrong',
  0x8017: 'a number of elements was given for a variable that is no array',
  0x8018: 'the elements are beyond the end of the array',
  0x8022: 'the type of the value is not that of the variable',
  0x8028: 'the value is outside the range or the enumeration of the variable',
  0x8029: 'the variable cannot be read in one piece',
  0x0102: 'the variable is a constant or read-only',
  0x0104: 'it lies beyond the end of the variable',
};

/** A status in words and with its numbers. */
export function statusInWords(status: number, more: number): string {
  const code = `0x${hex(status, 2)}${more === 0 ? '' : `/0x${hex(more, 4)}`}`;
  const isOmron = status === Status.VENDOR || status === Status.BAD_PARAMETER;
  const meaning =
    extended[status * 0x1_0000 + more] ?? (isOmron ? omron[more] : undefined) ?? general[status];
  return meaning === undefined ? `status ${code}` : `${meaning} (status ${code})`;
}

function hex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0');
}

/** One number for a general and an extended status. */
export function codeOf({
  status,
  extended: more,
}: {
  readonly status: number;
  readonly extended: number;
}): number {
  return status * 0x1_0000 + more;
}

/** The fault of a read that was refused with this code of `codeOf`. */
export const readRefused = faultsByCode((code) => refusal(ErrorCode.READ_FAILED, 'read', code));

/** The fault of a write that was refused with this code of `codeOf`. */
export const writeRefused = faultsByCode((code) => refusal(ErrorCode.WRITE_FAILED, 'write', code));

function refusal(errorCode: number, verb: string, code: number): Fault {
  return new Fault(
    errorCode,
    `The controller refused the ${verb}: ${statusInWords(code >>> 16, code & 0xffff)}.`,
  );
}

const temporary: readonly number[] = [
  Status.CONNECTION,
  Status.NO_RESOURCE,
  Status.CONNECTION_LOST,
  Status.STATE_CONFLICT,
  Status.DEVICE_STATE,
];

/** Whether the same request may succeed a moment later, so that the refusal is not remembered. */
export function isTemporary({ status }: { readonly status: number }): boolean {
  return temporary.includes(status);
}

/** The route between the gateway and the controller does not work; a clause for the reason of the link. Undefined: it is not that. */
export function routeTrouble({
  status,
  extended: more,
}: {
  readonly status: number;
  readonly extended: number;
}): string | undefined {
  if (status !== Status.CONNECTION || more < 0x0203 || (more > 0x0204 && more < 0x0311)) return undefined;
  return `nothing is reached through the path: ${statusInWords(status, more)}`;
}

/** Whether the controller has no connection left. */
export function isWithoutConnections({
  status,
  extended: more,
}: {
  readonly status: number;
  readonly extended: number;
}): boolean {
  if (status === Status.NO_RESOURCE) return true;
  return status === Status.CONNECTION && (more === Refused.NONE_LEFT || more === Refused.NONE_LEFT_AT_TARGET);
}

/** The tag is not of the type that the controller's variable has. */
export function typeMismatch(name: string, has: string, wanted: string): Fault {
  return new Fault(ErrorCode.TYPE_MISMATCH, `${name} is of type ${has} in the controller; ${wanted}.`);
}

export const tooShort = new Fault(
  ErrorCode.DECODE_FAILED,
  'The controller answered with fewer bytes than the value has.',
);

export const isChanging = new Fault(
  ErrorCode.NOT_READY,
  'The program of the controller is being changed; its tags are read again once that is done.',
);

export const endless = new Fault(
  ErrorCode.READ_FAILED,
  'The controller said that there is more of the value, and sent nothing of it.',
);
