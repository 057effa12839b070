/**
 * Frames of IEC 60870-5-104 and the units of data in them, after the standard's clauses 5 and 7 and IEC 60870-5-101, clause 7: cause of
 * transmission of two octets, common address of two, information object address of three.
 */

const startOctet = 0x68;

/** Octets of the largest frame: start, length, and the 253 that the length may count. */
export const mostFrame = 255;

/** Octets of the largest ASDU. */
export const mostAsdu = 249;

/** Sequence numbers have 15 bits. */
export const sequenceMask = 0x7fff;

/** Control octets of unnumbered frames. */
export const Control = {
  STARTDT_ACT: 0x07,
  STARTDT_CON: 0x0b,
  STOPDT_ACT: 0x13,
  STOPDT_CON: 0x23,
  TESTFR_ACT: 0x43,
  TESTFR_CON: 0x83,
} as const;

/** Octets of start, length and control before the ASDU. */
export const headerSize = 6;

/** Octets of an ASDU before its first information object: type, qualifier, cause (2), common address (2). */
export const asduHeaderSize = 6;

/** Type identifications of commands. */
export const CommandType = {
  SINGLE: 45,
  DOUBLE: 46,
  STEP: 47,
  NORMALIZED: 48,
  SCALED: 49,
  SHORT_FLOAT: 50,
  BIT_STRING: 51,
} as const;

/** From the type identification of a command to that of the same command with a time tag. */
export const timedCommandOffset = 13;

/** Type identifications of system information. */
export const SystemType = {
  END_OF_INITIALIZATION: 70,
  INTERROGATION: 100,
  COUNTER_INTERROGATION: 101,
  READ: 102,
  CLOCK_SYNCHRONIZATION: 103,
  RESET_PROCESS: 105,
  TEST: 107,
} as const;

/** Bits beside the cause of transmission in its first octet. */
export const CauseBit = { NEGATIVE: 0x40, TEST: 0x80 } as const;
export const causeMask = 0x3f;

/** The common address that means every station behind a connection. */
export const globalAddress = 0xffff;

/** Causes of transmission. */
export const Cause = {
  PERIODIC: 1,
  BACKGROUND: 2,
  SPONTANEOUS: 3,
  INITIALIZED: 4,
  REQUESTED: 5,
  ACTIVATION: 6,
  ACTIVATION_CONFIRMATION: 7,
  DEACTIVATION: 8,
  DEACTIVATION_CONFIRMATION: 9,
  ACTIVATION_TERMINATION: 10,
  REMOTE_RETURN: 11,
  LOCAL_RETURN: 12,
  INTERROGATED: 20,
  COUNTERS_REQUESTED: 37,
  UNKNOWN_TYPE: 44,
  UNKNOWN_CAUSE: 45,
  UNKNOWN_COMMON_ADDRESS: 46,
  UNKNOWN_OBJECT: 47,
} as const;

/** Octets of the frame at `at`; 0 when more is needed to know, -1 when none begins there. */
export function frameLength(bytes: Buffer, at: number, end: number): number {
  if (bytes[at] !== startOctet) return -1;
  if (end - at < 2) return 0;
  const length = bytes[at + 1]!;
  return length < 4 || length > mostFrame - 2 ? -1 : length + 2;
}

export function unnumberedFrame(control: number): Buffer {
  return Buffer.from([startOctet, 4, control, 0, 0, 0]);
}

/** Acknowledges everything before the frame with the number `received`. */
export function supervisoryFrame(received: number): Buffer {
  return Buffer.from([startOctet, 4, 1, 0, (received << 1) & 0xff, received >> 7]);
}

export function informationFrame(sent: number, received: number, asdu: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headerSize + asdu.length);
  frame[0] = startOctet;
  frame[1] = asdu.length + 4;
  frame.writeUInt16LE(sent << 1, 2);
  frame.writeUInt16LE(received << 1, 4);
  asdu.copy(frame, headerSize);
  return frame;
}

/** An ASDU of one information object; `cause` may have bits of `CauseBit`. */
export function asduOf(
  type: number,
  commonAddress: number,
  object: number,
  element: Buffer,
  cause: number = Cause.ACTIVATION,
): Buffer {
  const asdu = Buffer.allocUnsafe(asduHeaderSize + 3 + element.length);
  asdu[0] = type;
  asdu[1] = 1;
  asdu[2] = cause;
  asdu[3] = 0;
  asdu.writeUInt16LE(commonAddress, 4);
  asdu.writeUIntLE(object, 6, 3);
  element.copy(asdu, asduHeaderSize + 3);
  return asdu;
}
