/** Encapsulation of EtherNet/IP: 24 bytes of header, and behind it items that carry CIP. Numbers are little-endian. */

export const headerSize = 24;

/** Bytes of the largest frame: no connection is larger than 65511, and controllers send more than they were asked for. */
export const maxFrame = headerSize + 65_535;

export const Command = {
  NOP: 0x00,
  LIST_IDENTITY: 0x63,
  REGISTER: 0x65,
  UNREGISTER: 0x66,
  /** SendRRData: a message without a connection. */
  UNCONNECTED: 0x6f,
  /** SendUnitData: a message of a connection. */
  CONNECTED: 0x70,
} as const;

const commands: readonly number[] = [0x00, 0x04, 0x63, 0x64, ...[0x65, 0x66, 0x6f, 0x70, 0x72, 0x73]];

const ItemType = {
  NULL: 0x00,
  IDENTITY: 0x0c,
  CONNECTION: 0xa1,
  CONNECTED_DATA: 0xb1,
  UNCONNECTED_DATA: 0xb2,
} as const;

/** Bytes of the frame that begins at `at`; 0 while more is needed, -1 where none begins. */
export function frameLength(bytes: Buffer, at: number, end: number): number {
  if (end - at < 4) return 0;
  return commands.includes(bytes.readUInt16LE(at)) ? headerSize + bytes.readUInt16LE(at + 2) : -1;
}

/** A frame. `id` comes back with its answer. */
export function frameOf(command: number, session: number, id: number, data: Uint8Array): Buffer {
  const frame = Buffer.alloc(headerSize + data.length);
  frame.writeUInt16LE(command, 0);
  frame.writeUInt16LE(data.length, 2);
  frame.writeUInt32LE(session, 4);
  frame.writeUInt32LE(id, 12);
  frame.set(data, headerSize);
  return frame;
}

export function registerFrame(): Buffer {
  return frameOf(Command.REGISTER, 0, 1, Buffer.from([1, 0, 0, 0]));
}

/** Seconds that the other side may take for a message without a connection. */
const unconnectedTimeout = 10;

/** A message without a connection. */
export function unconnectedFrame(session: number, id: number, message: Uint8Array): Buffer {
  const data = Buffer.alloc(16 + message.length);
  data.writeUInt16LE(unconnectedTimeout, 4);
  data.writeUInt16LE(2, 6);
  data.writeUInt16LE(ItemType.UNCONNECTED_DATA, 12);
  data.writeUInt16LE(message.length, 14);
  data.set(message, 16);
  return frameOf(Command.UNCONNECTED, session, id, data);
}

/** A message of a connection, whose id the target has chosen. */
export function connectedFrame(
  session: number,
  connection: number,
  sequence: number,
  message: Uint8Array,
): Buffer {
  const data = Buffer.alloc(22 + message.length);
  data.writeUInt16LE(2, 6);
  data.writeUInt16LE(ItemType.CONNECTION, 8);
  data.writeUInt16LE(4, 10);
  data.writeUInt32LE(connection, 12);
  data.writeUInt16LE(ItemType.CONNECTED_DATA, 16);
  data.writeUInt16LE(2 + message.length, 18);
  data.writeUInt16LE(sequence, 20);
  data.set(message, 22);
  return frameOf(Command.CONNECTED, session, 0, data);
}

/** What a frame says. One object serves all frames, so that none is made for each. */
export class Frame {
  command = 0;
  session = 0;
  status = 0;
  /** The id of an unconnected message, or the sequence number of a connected one. */
  id = 0;
  /** The connection of a connected message, by the id that its receiver has chosen. */
  connection = 0;
  /** The CIP message is `data[start, end)`. */
  start = 0;
  end = 0;

  /** Reads `data[at, end)`, which `frameLength` has cut. False: what is in it does not fit its command. */
  parse(data: Buffer, at: number, end: number): boolean {
    if (end - at < headerSize) return false;
    this.command = data.readUInt16LE(at);
    this.session = data.readUInt32LE(at + 4);
    this.status = data.readUInt32LE(at + 8);
    this.id = data.readUInt32LE(at + 12);
    this.connection = 0;
    this.start = at + headerSize;
    this.end = end;
    const carries = this.command === Command.UNCONNECTED || this.command === Command.CONNECTED;
    return !carries || this.status !== 0 || this.#items(data, end);
  }

  #items(data: Buffer, end: number): boolean {
    let at = this.start + 8;
    if (at > end) return false;
    let hasMessage = false;
    for (let left = data.readUInt16LE(at - 2); left > 0; left--) {
      if (end - at < 4) return false;
      const type = data.readUInt16LE(at);
      const start = at + 4;
      at = start + data.readUInt16LE(at + 2);
      if (at > end) return false;
      if (type === ItemType.CONNECTION && at - start === 4) this.connection = data.readUInt32LE(start);
      else if (type === ItemType.UNCONNECTED_DATA && this.command === Command.UNCONNECTED) {
        this.start = start;
        this.end = at;
        hasMessage = true;
      } else if (type === ItemType.CONNECTED_DATA && at - start >= 2) {
        this.id = data.readUInt16LE(start);
        this.start = start + 2;
        this.end = at;
        hasMessage = this.command === Command.CONNECTED;
      }
    }
    return hasMessage;
  }
}

/** What a device says of itself. */
export interface Identity {
  readonly vendor: number;
  readonly device: number;
  /** Such as `33.11`. */
  readonly revision: string;
  readonly serial: number;
  readonly name: string;
}

export const Vendor = { ROCKWELL: 0x01, OMRON: 0x2f } as const;

/** The identity in the answer to LIST_IDENTITY, which is `data[at, end)`; undefined when there is none. */
export function identityOf(data: Buffer, at: number, end: number): Identity | undefined {
  const item = at + headerSize + 2;
  if (end - item < 4 || data.readUInt16LE(item) !== ItemType.IDENTITY) return undefined;
  const from = item + 4 + 18;
  if (end - from < 15) return undefined;
  const size = data[from + 14]!;
  return {
    vendor: data.readUInt16LE(from),
    device: data.readUInt16LE(from + 2),
    revision: `${data[from + 6]}.${String(data[from + 7]).padStart(2, '0')}`,
    serial: data.readUInt32LE(from + 10),
    name: data.toString('latin1', from + 15, Math.min(end, from + 15 + size)),
  };
}
