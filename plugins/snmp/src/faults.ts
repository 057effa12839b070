import { dataTypeName, ErrorCode, Fault, type DataType } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';
import { Tag } from './wire/ber.ts';
import { ErrorStatus } from './wire/pdu.ts';

/** One fault object per cause: points fail by the thousand, and a fault carries a stack trace. */

export const noSuchObject = new Fault(
  ErrorCode.READ_FAILED,
  'The agent has no such object (noSuchObject): check the address, and whether the community or the user may see this part of the tree.',
);
export const noSuchInstance = new Fault(
  ErrorCode.READ_FAILED,
  'The agent has the object but not this instance of it (noSuchInstance): an object outside of tables ends in .0, one of a table in the index of a row that exists.',
);
export const noSuchName = new Fault(
  ErrorCode.READ_FAILED,
  'The agent has no such object or instance (noSuchName): an object outside of tables ends in .0, one of a table in the index of a row that exists; counters of 64 bits need version 2c or 3.',
);
export const noRow = new Fault(
  ErrorCode.READ_FAILED,
  'No row of the table has this value in its column at present; the table is looked through again every 10 s.',
);
export const manyRows = new Fault(
  ErrorCode.READ_FAILED,
  'Several rows of the table have this value in their column: name the row by its index, or by a column in which each row has a value of its own.',
);
export const tooLarge = new Fault(
  ErrorCode.READ_FAILED,
  'The agent cannot send this value: it is larger than its messages can be (tooBig).',
);
export const undecodable = new Fault(
  ErrorCode.DECODE_FAILED,
  'The answer of the agent cannot be decoded, or does not fit the request.',
);
export const outOfRange = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The value is beyond what the type of the tag can hold.',
);
export const notTruth = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The agent has another number than 0 or 1 here, and a tag of the type BIT or BOOL takes no other; give the tag a type of numbers.',
);
export const noTrapPort = new Fault(
  ErrorCode.READ_FAILED,
  'The node hears no notifications: give it a port for them in the setting trap_port.',
);
export const noTrapYet = new Fault(
  ErrorCode.NOT_READY,
  'The agent has sent no such notification since the node started.',
);
/** A write was sent and not answered. It is not sent again, because some objects act on every write. */
export const writeUnanswered = new Fault(
  ErrorCode.NO_RESPONSE,
  'The agent has not answered the write: it may have written the value or not, and an agent does not answer a community or user that may not write. Read the tag before it is written again.',
);
export const halfWritten = new Fault(
  ErrorCode.WRITE_FAILED,
  'The agent failed while it wrote (commitFailed or undoFailed): it may have written the value or not. Read the tag before it is written again.',
);
export const writeTooLarge = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'The value does not fit into a message that the agent takes; it was not written.',
);

const errorNames: Readonly<Record<number, readonly [name: string, hint: string]>> = {
  1: ['tooBig', 'the answer is larger than its messages can be'],
  2: ['noSuchName', 'it has no such object, or the community may not write it'],
  3: ['badValue', 'it does not take this value here, or it has another type'],
  4: ['readOnly', 'the object can only be read'],
  5: ['genErr', 'it failed inside, for a reason that it does not say'],
  6: ['noAccess', 'the community or the user may not do this'],
  7: ['wrongType', 'the object has another type'],
  8: ['wrongLength', 'the text or the bytes have another length than it takes'],
  9: ['wrongEncoding', 'it cannot decode the value'],
  10: ['wrongValue', 'the object does not take this value'],
  11: ['noCreation', 'there is no such instance, and it cannot be made'],
  12: ['inconsistentValue', 'it does not take this value in its present state'],
  13: ['resourceUnavailable', 'it lacks the memory or another resource for it'],
  14: ['commitFailed', 'it failed while it wrote'],
  15: ['undoFailed', 'it failed while it wrote, and could not take back what was written'],
  16: ['authorizationError', 'the community or the user may not do this'],
  17: ['notWritable', 'the object can only be read'],
  18: ['inconsistentName', 'such an instance cannot be made in its present state'],
};

function sentenceOf(what: string, status: number): string {
  const [name, hint] = errorNames[status] ?? ['of no known name', 'look it up in the manual of the device'];
  return `The agent refused the ${what} with error ${status} (${name}): ${hint}.`;
}

/** Why all of a read was refused. */
export const readRefused = faultsByCode((status) => {
  if (status === ErrorStatus.NO_SUCH_NAME) return noSuchName;
  if (status === ErrorStatus.TOO_BIG) return tooLarge;
  return new Fault(ErrorCode.READ_FAILED, sentenceOf('read', status));
});

export const writeRefused = faultsByCode((status) => {
  if (status === ErrorStatus.TOO_BIG) return writeTooLarge;
  const code =
    status === ErrorStatus.WRONG_TYPE
      ? ErrorCode.TYPE_MISMATCH
      : status === ErrorStatus.WRONG_VALUE || status === ErrorStatus.WRONG_LENGTH
        ? ErrorCode.VALUE_OUT_OF_RANGE
        : ErrorCode.WRITE_FAILED;
  return new Fault(code, sentenceOf('write', status));
});

/** Types of values, and the types of tags that take them. */
const valueTypes = new Map<number, readonly [name: string, taken: string]>([
  [Tag.INTEGER, ['an INTEGER', 'a type of numbers, BIT, BOOL or STRING']],
  [Tag.OCTETS, ['an OCTET STRING', 'STRING or BYTES']],
  [Tag.NULL, ['a NULL', 'another object']],
  [Tag.OID, ['an OBJECT IDENTIFIER', 'STRING']],
  [Tag.IP_ADDRESS, ['an IpAddress', 'STRING or BYTES']],
  [Tag.COUNTER32, ['a Counter32', 'a type of numbers, best UINT32']],
  [Tag.GAUGE32, ['a Gauge32', 'a type of numbers, best UINT32']],
  [Tag.TIME_TICKS, ['a TimeTicks', 'a type of numbers, best UINT32']],
  [Tag.OPAQUE, ['an Opaque', 'FLOAT or DOUBLE for a real number, otherwise BYTES']],
  [Tag.COUNTER64, ['a Counter64', 'a type of numbers, best UINT64']],
]);

export function valueTypeName(tag: number): string {
  return valueTypes.get(tag)?.[0] ?? `a value of type 0x${tag.toString(16)}`;
}

const mismatches = faultsByCode((code) => {
  const tag = code >> 8;
  const taken = valueTypes.get(tag)?.[1] ?? 'BYTES';
  return new Fault(
    ErrorCode.TYPE_MISMATCH,
    `The agent has ${valueTypeName(tag)} here, which a tag of the type ${dataTypeName(code & 0xff)} does not take; it needs ${taken}.`,
  );
});

/** The agent has a value with this tag, which a tag of this type does not take. */
export function mismatch(tag: number, type: DataType): Fault {
  return mismatches(tag * 0x100 + type);
}

const writeMismatches = faultsByCode((code) => {
  const taken = valueTypes.get(code >> 8)?.[1] ?? 'another type';
  return new Fault(
    ErrorCode.TYPE_MISMATCH,
    `The object is ${valueTypeName(code >> 8)}, and a value of the type ${dataTypeName(code & 0xff)} cannot be written to it; the tag needs ${taken}. Nothing was sent.`,
  );
});

/** The object has a type to which a tag of this type cannot be written. */
export function writeMismatch(tag: number, type: DataType): Fault {
  return writeMismatches(tag * 0x100 + type);
}

export const writeOutOfRange = faultsByCode(
  (tag) =>
    new Fault(
      ErrorCode.VALUE_OUT_OF_RANGE,
      `The object is ${valueTypeName(tag)} and does not take this value; nothing was sent.`,
    ),
);
