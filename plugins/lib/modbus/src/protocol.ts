import { Area } from './address.ts';

/** Protocol data units after the Modbus Application Protocol Specification V1.1b3. */

/** Most registers and bits of one request: sections 6.1 to 6.4, 6.11, 6.12 and 6.17. */
export const limits = {
  readRegisters: 125,
  readBits: 2000,
  writeRegisters: 123,
  writeBits: 1968,
  writeRegistersAndRead: 121,
} as const;

/** Most bytes of a protocol data unit. */
export const maxPdu = 253;

/** Function codes: section 6. */
export const FunctionCode = {
  READ_COILS: 0x01,
  READ_DISCRETE_INPUTS: 0x02,
  READ_HOLDING_REGISTERS: 0x03,
  READ_INPUT_REGISTERS: 0x04,
  WRITE_COIL: 0x05,
  WRITE_REGISTER: 0x06,
  WRITE_COILS: 0x0f,
  WRITE_REGISTERS: 0x10,
  MASK_WRITE_REGISTER: 0x16,
  READ_WRITE_REGISTERS: 0x17,
  ENCAPSULATED_TRANSPORT: 0x2b,
} as const;

const readFunctions: Readonly<Record<Area, number>> = {
  [Area.COIL]: FunctionCode.READ_COILS,
  [Area.DISCRETE_INPUT]: FunctionCode.READ_DISCRETE_INPUTS,
  [Area.HOLDING_REGISTER]: FunctionCode.READ_HOLDING_REGISTERS,
  [Area.INPUT_REGISTER]: FunctionCode.READ_INPUT_REGISTERS,
};

/** A request to read `count` registers or bits. */
export function readRequest(area: number, start: number, count: number): Buffer {
  return head(readFunctions[area as Area], start, count, 5);
}

/** A request to write coils: function 05 for one, 0F for more. */
export function writeCoilsRequest(start: number, bits: readonly boolean[]): Buffer {
  if (bits.length === 1) return head(FunctionCode.WRITE_COIL, start, bits[0] === true ? 0xff00 : 0, 5);
  const bytes = Math.ceil(bits.length / 8);
  const pdu = head(FunctionCode.WRITE_COILS, start, bits.length, 6 + bytes);
  pdu[5] = bytes;
  bits.forEach((bit, index) => {
    const at = 6 + (index >> 3);
    if (bit) pdu[at] = (pdu[at] ?? 0) | (1 << (index & 7));
  });
  return pdu;
}

/** A request to write registers, given as wire bytes: function 06 for one, 10 for more. */
export function writeRegistersRequest(start: number, data: Uint8Array): Buffer {
  if (data.length === 2) {
    const single = head(FunctionCode.WRITE_REGISTER, start, 0, 5);
    single.set(data, 3);
    return single;
  }
  const pdu = head(FunctionCode.WRITE_REGISTERS, start, data.length / 2, 6 + data.length);
  pdu[5] = data.length;
  pdu.set(data, 6);
  return pdu;
}

/** Whether a request is one to read. */
export function isRead(request: Uint8Array): boolean {
  return request[0]! <= 0x04;
}

/** Bytes of the answer to a request, unless that is an exception. */
export function replySize(request: Uint8Array): number {
  const quantity = ((request[3] ?? 0) << 8) | (request[4] ?? 0);
  switch (request[0]) {
    case 0x01:
    case 0x02:
      return 2 + Math.ceil(quantity / 8);
    case 0x03:
    case 0x04:
      return 2 + quantity * 2;
    default:
      return 5;
  }
}

/** What an answer is: the code of an exception from 1, or one of these. */
export const Verdict = { GOOD: 0, MALFORMED: -1 } as const;

/** Judges the answer `data[start, end)` to a request. A device repeats function, address and value or quantity of a write. */
export function judge(request: Uint8Array, data: Uint8Array, start: number, end: number): number {
  if (data[start] !== request[0]) return judgeException(request, data, start, end);
  const size = replySize(request);
  if (end - start !== size) return Verdict.MALFORMED;
  if (isRead(request)) return data[start + 1] === size - 2 ? Verdict.GOOD : Verdict.MALFORMED;
  for (let i = 1; i < 5; i++) if (data[start + i] !== request[i]) return Verdict.MALFORMED;
  return Verdict.GOOD;
}

function judgeException(request: Uint8Array, data: Uint8Array, start: number, end: number): number {
  const exception = data[start + 1] ?? 0;
  const fits = end - start === 2 && data[start] === ((request[0] ?? 0) | 0x80) && exception > 0;
  return fits ? exception : Verdict.MALFORMED;
}

function head(code: number, start: number, word: number, size: number): Buffer {
  const pdu = Buffer.alloc(size);
  pdu[0] = code;
  pdu.writeUInt16BE(start, 1);
  pdu.writeUInt16BE(word, 3);
  return pdu;
}
