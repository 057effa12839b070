/**
 * Frames of S7 communication on TCP: TPKT (RFC 1006), COTP class 0 (ISO 8073) and the S7 messages within, as the sources of snap7
 * and Wireshark's dissectors of `tpkt`, `cotp` and `s7comm` describe them.
 */

/** PDU types of COTP. */
export const Cotp = {
  CONNECT: 0xe0,
  CONFIRM: 0xd0,
  DISCONNECT: 0x80,
  ERROR: 0x70,
  DATA: 0xf0,
} as const;

/** Kinds of S7 messages. */
export const Message = { JOB: 1, ACK: 2, ACK_DATA: 3 } as const;

/** Functions of S7 jobs. */
export const Job = { READ: 0x04, WRITE: 0x05, SETUP: 0xf0 } as const;

/** Transport sizes in requests: what the count of an item counts. */
export const Unit = { BIT: 0x01, BYTE: 0x02, COUNTER: 0x1c, TIMER: 0x1d } as const;

/** Transport sizes in data. The length of the first three is in bits, of the others in bytes. */
export const Size = { BIT: 0x03, BYTES: 0x04, INTEGER: 0x05, REAL: 0x07, OCTETS: 0x09 } as const;

/** The return code of an item that succeeded. */
export const itemDone = 0xff;

/** Bytes of TPKT and COTP before a message. */
export const envelope = 7;
const jobHeader = 10;
const answerHeader = 12;
/** Bytes of one item in the parameters of a read or write. */
const itemSpec = 12;
/** Bytes before the data of an item. */
const itemHeader = 4;
/** Most items of one job (MaxVars of snap7; PLCs take no more either). */
export const mostItems = 20;

/** What one item of a job is about. */
export interface ItemSpec {
  readonly unit: number;
  readonly count: number;
  readonly db: number;
  readonly area: number;
  /** The number of a bit (byte × 8 + bit), or of a timer or counter. */
  readonly address: number;
}

/** An item of a write. */
export interface WriteItem {
  readonly spec: ItemSpec;
  /** A member of `Size`. */
  readonly size: number;
  readonly data: Uint8Array;
}

/** Most bytes that one item of a read can bring: request and reply have to fit into the PDU. */
export function mostReadBytes(pdu: number): number {
  return pdu - answerHeader - 2 - itemHeader;
}

/** Most bytes that one item of a write can carry. */
export function mostWriteBytes(pdu: number): number {
  return pdu - jobHeader - 2 - itemSpec - itemHeader;
}

/** Adds up the bytes of items, to find out whether one more fits into a job and its reply. */
export class Room {
  items = 0;
  readonly #pdu: number;
  readonly #writes: boolean;
  #data = 0;

  constructor(pdu: number, purpose: 'read' | 'write') {
    this.#pdu = pdu;
    this.#writes = purpose === 'write';
  }

  /** Takes an item of `bytes` bytes if it fits; an item is padded to even length once another one follows. */
  take(bytes: number): boolean {
    const items = this.items + 1;
    const data = this.#data + itemHeader + bytes;
    const request = jobHeader + 2 + itemSpec * items + (this.#writes ? data : 0);
    const reply = answerHeader + 2 + (this.#writes ? items : data);
    if (items > mostItems || request > this.#pdu || reply > this.#pdu) return false;
    this.items = items;
    this.#data = data + (bytes & 1);
    return true;
  }
}

/** Bytes of the TPKT packet at `at`; see `Framing.length`. */
export function packetLength(bytes: Buffer, at: number, end: number): number {
  if (bytes[at] !== 3) return -1;
  if (end - at < 4) return 0;
  const length = bytes.readUInt16BE(at + 2);
  return length < envelope ? -1 : length;
}

/** A connection request, with 1024 bytes as the largest TPDU. */
export function connectRequest(localTsap: number, remoteTsap: number): Buffer {
  const packet = Buffer.from('0300001611e00000000100c0010ac1020000c2020000', 'hex');
  packet.writeUInt16BE(localTsap, 16);
  packet.writeUInt16BE(remoteTsap, 20);
  return packet;
}

/** Bytes of the largest TPDU that a connection confirm names; those that name none take 1024. */
export function largestTpdu(confirm: Buffer): number {
  for (let at = 11; at + 2 < confirm.length; at += 2 + (confirm[at + 1] as number)) {
    const exponent = confirm[at + 2] as number;
    if (confirm[at] === 0xc0 && exponent >= 7 && exponent <= 13) return 2 ** exponent;
  }
  return 1024;
}

/** Asks for a PDU size and a number of jobs in parallel. */
export function setupRequest(jobs: number, pdu: number): Buffer {
  const packet = job(8, 0);
  packet[17] = Job.SETUP;
  packet.writeUInt16BE(jobs, 19);
  packet.writeUInt16BE(jobs, 21);
  packet.writeUInt16BE(pdu, 23);
  return packet;
}

/** A job that reads; `setReference` has to follow. */
export function readRequest(items: readonly ItemSpec[]): Buffer {
  const packet = job(2 + itemSpec * items.length, 0);
  putSpecs(packet, Job.READ, items);
  return packet;
}

/** A job that writes; `setReference` has to follow. */
export function writeRequest(items: readonly WriteItem[]): Buffer {
  const last = items.length - 1;
  const dataLength = items.reduce(
    (sum, { data }, index) => sum + itemHeader + data.length + (index < last ? data.length & 1 : 0),
    0,
  );
  const packet = job(2 + itemSpec * items.length, dataLength);
  let at = putSpecs(
    packet,
    Job.WRITE,
    items.map(({ spec }) => spec),
  );
  for (const { data, size } of items) {
    packet[at + 1] = size;
    packet.writeUInt16BE(size === Size.BYTES ? data.length * 8 : data.length, at + 2);
    packet.set(data, at + itemHeader);
    at += itemHeader + data.length + (data.length & 1);
  }
  return packet;
}

/** Gives a job the reference that comes back with its answer. */
export function setReference(packet: Buffer, reference: number): void {
  packet.writeUInt16BE(reference, envelope + 4);
}

function job(parameters: number, data: number): Buffer {
  const packet = Buffer.alloc(envelope + jobHeader + parameters + data);
  packet[0] = 3;
  packet.writeUInt16BE(packet.length, 2);
  packet.set([2, Cotp.DATA, 0x80, 0x32, Message.JOB], 4);
  packet.writeUInt16BE(parameters, envelope + 6);
  packet.writeUInt16BE(data, envelope + 8);
  return packet;
}

function putSpecs(packet: Buffer, func: number, items: readonly ItemSpec[]): number {
  let at = envelope + jobHeader;
  packet[at++] = func;
  packet[at++] = items.length;
  for (const { unit, count, db, area, address } of items) {
    packet.set([0x12, 0x0a, 0x10, unit], at);
    packet.writeUInt16BE(count, at + 4);
    packet.writeUInt16BE(db, at + 6);
    packet[at + 8] = area;
    packet.writeUIntBE(address, at + 9, 3);
    at += itemSpec;
  }
  return at;
}

/** Reads the header of an S7 message: set by `parse`, so that a message costs no object. */
export class AnswerHeader {
  kind = 0;
  reference = 0;
  /** Error class and code, 0 when there is none. */
  error = 0;
  func = 0;
  items = 0;
  parameters = 0;
  data = 0;
  end = 0;

  /** Takes `bytes[at, end)`; false when that is no S7 message. */
  parse(bytes: Buffer, at: number, end: number): boolean {
    if (end - at < jobHeader || bytes[at] !== 0x32) return false;
    this.kind = bytes[at + 1] as number;
    this.reference = bytes.readUInt16BE(at + 4);
    const isAnswer = this.isAnswer;
    const header = isAnswer ? answerHeader : jobHeader;
    this.parameters = at + header;
    this.data = this.parameters + bytes.readUInt16BE(at + 6);
    this.end = this.data + bytes.readUInt16BE(at + 8);
    if (this.end !== end) return false;
    this.error = isAnswer ? bytes.readUInt16BE(at + 10) : 0;
    this.func = this.data > this.parameters ? (bytes[this.parameters] as number) : 0;
    this.items = this.data > this.parameters + 1 ? (bytes[this.parameters + 1] as number) : 0;
    return true;
  }

  get isAnswer(): boolean {
    return this.kind === Message.ACK_DATA || this.kind === Message.ACK;
  }
}

/** Walks over the items in the data of a read answer, without an object for each. */
export class ItemCursor {
  /** Return code of the item. */
  code = 0;
  /** Where its bytes begin. */
  start = 0;
  size = 0;
  #next = 0;

  begin(at: number): void {
    this.#next = at;
  }

  /** Goes to the next item; false when there is none before `end`. An item that claims more bytes than there are has size -1. */
  next(bytes: Buffer, end: number): boolean {
    const at = this.#next;
    if (at + itemHeader > end) return false;
    this.code = bytes[at] as number;
    this.start = at + itemHeader;
    this.size = 0;
    this.#next = this.start;
    // A failed item has no data, whatever its length says.
    if (this.code !== itemDone) return true;
    const kind = bytes[at + 1] as number;
    const length = bytes.readUInt16BE(at + 2);
    const isBits = kind === Size.BYTES || kind === Size.INTEGER;
    const size = isBits ? (length + 7) >> 3 : length;
    this.size = this.start + size > end ? -1 : size;
    this.#next = this.start + size + (size & 1);
    return true;
  }
}
