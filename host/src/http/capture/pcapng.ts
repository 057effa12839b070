import type { TracedFrame } from '../../core/ports/ports.ts';
import { LinkType, Packets } from './packets.ts';

/** Blocks and options of pcapng, by their numbers in draft-ietf-opsawg-pcapng. */
const Block = { SECTION: 0x0a0d0d0a, INTERFACE: 1, PACKET: 6 } as const;
const Option = { END: 0, COMMENT: 1, NAME: 2, FLAGS: 2, APPLICATION: 4 } as const;

const interfaceNames: Readonly<Record<LinkType, string>> = {
  [LinkType.RAW]: 'network',
  [LinkType.USER0]: 'line',
  [LinkType.UPPER_PDU]: 'frames',
};

/** The frames as a file for network analysers, each with what it means as its comment. */
export function pcapngOf(frames: readonly TracedFrame[], application: string, comment: string): Buffer {
  const packets = new Packets();
  const interfaces = new Map<LinkType, number>();
  const head = Buffer.alloc(16);
  head.writeUInt32LE(0x1a2b3c4d, 0);
  head.writeUInt16LE(1, 4);
  // The length of the section is not given.
  head.fill(0xff, 8);
  const blocks = [
    block(Block.SECTION, head, [
      option(Option.APPLICATION, Buffer.from(application)),
      option(Option.COMMENT, Buffer.from(comment)),
    ]),
  ];
  for (const frame of frames) {
    const { linkType, head: front } = packets.packetOf(frame);
    let index = interfaces.get(linkType);
    if (index === undefined) {
      index = interfaces.size;
      interfaces.set(linkType, index);
      blocks.push(interfaceBlock(linkType));
    }
    blocks.push(packetBlock(index, front, frame));
  }
  return Buffer.concat(blocks);
}

function interfaceBlock(linkType: LinkType): Buffer {
  const body = Buffer.alloc(8);
  body.writeUInt16LE(linkType, 0);
  return block(Block.INTERFACE, body, [option(Option.NAME, Buffer.from(interfaceNames[linkType]))]);
}

function packetBlock(index: number, front: Buffer, { at, data, size, direction, text }: TracedFrame): Buffer {
  const head = Buffer.alloc(20);
  const microseconds = Math.round(at * 1000);
  head.writeUInt32LE(index, 0);
  head.writeUInt32LE(Math.floor(microseconds / 0x1_0000_0000), 4);
  head.writeUInt32LE(microseconds % 0x1_0000_0000, 8);
  head.writeUInt32LE(front.length + data.length, 12);
  head.writeUInt32LE(front.length + size, 16);
  const flags = Buffer.alloc(4);
  flags.writeUInt32LE(direction === 'sent' ? 2 : 1);
  const options = [option(Option.FLAGS, flags)];
  if (text !== undefined) options.push(option(Option.COMMENT, Buffer.from(text)));
  return block(Block.PACKET, Buffer.concat([head, padded(Buffer.concat([front, data]))]), options);
}

function block(type: number, body: Buffer, options: readonly Buffer[]): Buffer {
  const end = option(Option.END, Buffer.alloc(0));
  const inner = Buffer.concat([body, ...options, end]);
  const size = inner.length + 12;
  const frame = Buffer.alloc(size);
  frame.writeUInt32LE(type, 0);
  frame.writeUInt32LE(size, 4);
  inner.copy(frame, 8);
  frame.writeUInt32LE(size, size - 4);
  return frame;
}

function option(code: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(code, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, padded(value)]);
}

/** With zeros up to a multiple of four bytes. */
function padded(bytes: Buffer): Buffer {
  const missing = -bytes.length & 3;
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing)]);
}
