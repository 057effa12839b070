/**
 * FINS/TCP: a header with magic, length, command and error, then a FINS frame (Omron W342, FINS commands reference manual, and W421,
 * section 7-4). All numbers are big-endian.
 */

/** Commands of the header. */
export const Command = { NODE_REQUEST: 0, NODE_REPLY: 1, FRAME: 2, ERROR: 3 } as const;

/** Commands of FINS: main and sub request code. */
export const Service = { READ: 0x0101, WRITE: 0x0102 } as const;

const magic = Buffer.from('FINS', 'latin1');

/** Bytes of magic, length, command and error. */
const headerSize = 16;

/** Bytes of the FINS header: ICF RSV GCT DNA DA1 DA2 SNA SA1 SA2 SID. */
const finsSize = 10;

/** Where the service, the end code and the data of a reply are. */
const serviceAt = headerSize + finsSize;
export const dataAt = serviceAt + 4;

/** Bytes of the largest frame; a reply with 999 words has 2028. */
export const mostBytes = 4096;

/** Most words of one write over Ethernet; a read may have 999, but a write carries more of a header. */
export const mostWrittenWords = 996;

/** The node addresses of both ends of a connection. */
export interface Nodes {
  readonly client: number;
  readonly server: number;
}

/** Where the PLC is. Node 0 stands for the one at the other end of the connection. */
export interface Target {
  readonly network: number;
  readonly node: number;
  readonly unit: number;
}

/** Bytes of the frame that begins at `at`: 0 when more is needed to know, -1 when no frame begins there. */
export function frameLength(bytes: Buffer, at: number, end: number): number {
  for (let i = 0; i < magic.length && at + i < end; i++) if (bytes[at + i] !== magic[i]) return -1;
  if (end - at < 8) return 0;
  const size = 8 + bytes.readUInt32BE(at + 4);
  return size < headerSize || size > mostBytes ? -1 : size;
}

export function commandOf(frame: Buffer, at = 0): number {
  return frame.readUInt32BE(at + 8);
}

/** The error of the header; 0 is none. */
export function errorOf(frame: Buffer, at = 0): number {
  return frame.readUInt32BE(at + 12);
}

/** Asks for node addresses; `client` is the wanted one, or 0. */
export function nodeRequest(client: number): Buffer {
  const frame = headed(Command.NODE_REQUEST, 4);
  frame.writeUInt32BE(client, headerSize);
  return frame;
}

/** The node addresses that a reply assigns, or undefined when it is no such reply. */
export function nodesOf(frame: Buffer): Nodes | undefined {
  if (frame.length < headerSize + 8 || commandOf(frame) !== Command.NODE_REPLY) return undefined;
  return { client: frame.readUInt32BE(headerSize) & 0xff, server: frame.readUInt32BE(headerSize + 4) & 0xff };
}

/** A read or write of `count` words, or bits, from `start` on; `data` is that of a write. `bit` is that of the first word, in an area of bits. */
export interface MemoryRequest {
  readonly service: number;
  readonly area: number;
  readonly start: number;
  readonly bit: number;
  readonly count: number;
  readonly data?: Uint8Array;
}

export function memoryFrame(nodes: Nodes, target: Target, sid: number, request: MemoryRequest): Buffer {
  const { service, area, start, bit, count, data } = request;
  const frame = headed(Command.FRAME, finsSize + 8 + (data?.length ?? 0));
  // A command that wants a reply, through two gateways at most.
  frame.set(
    [0x80, 0, 2, target.network, target.node === 0 ? nodes.server : target.node, target.unit],
    headerSize,
  );
  frame.set([0, nodes.client, 0, sid], headerSize + 6);
  frame.writeUInt16BE(service, serviceAt);
  frame[serviceAt + 2] = area;
  frame.writeUInt16BE(start, serviceAt + 3);
  frame[serviceAt + 5] = bit;
  frame.writeUInt16BE(count, serviceAt + 6);
  if (data !== undefined) frame.set(data, serviceAt + 8);
  return frame;
}

/** Whether a frame is the reply to some command. */
export function isReply(frame: Buffer, at: number, end: number): boolean {
  return end - at >= dataAt && ((frame[at + headerSize] as number) & 0x40) !== 0;
}

export function sidOf(frame: Buffer, at = 0): number {
  return frame[at + headerSize + 9] as number;
}

export function serviceOf(frame: Buffer): number {
  return frame.readUInt16BE(serviceAt);
}

/**
 * The end code of a reply, main and sub code; 0 is success. Left out: the flag of a relay error, and the flags for errors of the
 * CPU unit, which do not concern the command.
 */
export function endCodeOf(frame: Buffer): number {
  return frame.readUInt16BE(serviceAt + 2) & 0x7f3f;
}

function headed(command: number, size: number): Buffer {
  const frame = Buffer.alloc(headerSize + size);
  magic.copy(frame);
  frame.writeUInt32BE(8 + size, 4);
  frame.writeUInt32BE(command, 8);
  return frame;
}
