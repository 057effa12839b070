import { SimulatedMemory } from '@tagway/plc-words/test';
import { FrameServer } from '@tagway/testkit';

/** End codes that the simulated PLC gives, as the manual numbers them. */
export const EndCode = {
  NO_SUCH_COMMAND: 0x0401,
  TOO_LONG: 0x1001,
  NO_SUCH_AREA: 0x1101,
  OUT_OF_RANGE: 0x1103,
  RESPONSE_TOO_LONG: 0x110b,
  READ_ONLY: 0x2101,
} as const;

/** Codes of areas, as the manual numbers them. */
export const AreaCode = {
  CIO: 0xb0,
  W: 0xb1,
  H: 0xb2,
  A: 0xb3,
  D: 0x82,
  P: 0x89,
  F: 0x09,
  EM0: 0xa0,
  EM10: 0x60,
} as const;

/** Areas of words; a bit of a word has the code of its area less 0x80. */
const wordAreas: readonly number[] = [
  ...[AreaCode.CIO, AreaCode.W, AreaCode.H, AreaCode.A, AreaCode.D, AreaCode.P],
  ...Array.from({ length: 16 }, (_, bank) => AreaCode.EM0 + bank),
  ...Array.from({ length: 9 }, (_, bank) => AreaCode.EM10 + bank),
];

/** An Omron PLC behind FINS/TCP. */
export class Simulator extends FrameServer {
  readonly memory = new SimulatedMemory();
  /** Most words of one request. */
  mostWords = 999;
  /** The node addresses that it assigns. */
  nodes: readonly [client: number, server: number] = [0xef, 0x0a];
  /** Error of the header with which it refuses connections; 0 for none. */
  refuses = 0;
  /** Or-ed to the end code of every reply, as a PLC with an error of its CPU unit does. */
  flags = 0;

  constructor() {
    super({
      length: (bytes) => (bytes.length < 8 ? 0 : 8 + bytes.readUInt32BE(4)),
      answer: (frame) => this.#answer(frame),
    });
  }

  /** The words of D. */
  get d(): Uint16Array {
    return this.memory.words(AreaCode.D);
  }

  #answer(frame: Buffer): Buffer | undefined {
    const command = frame.readUInt32BE(8);
    if (command === 0) {
      const [client, server] = this.nodes;
      const body = this.refuses === 0 ? Buffer.from([0, 0, 0, client, 0, 0, 0, server]) : Buffer.alloc(8);
      return headed(1, this.refuses, body);
    }
    if (command !== 2 || frame.length < 28) return undefined;
    const [icf = 0, , , dna = 0, da1 = 0, da2 = 0, sna = 0, sa1 = 0, sa2 = 0, sid = 0] = frame.subarray(
      16,
      26,
    );
    const { endCode, data = Buffer.alloc(0) } = this.#carryOut(frame.readUInt16BE(26), frame.subarray(28));
    if ((icf & 1) === 1) return undefined;
    const head = Buffer.from([icf | 0xc0, 0, 2, sna, sa1, sa2, dna, da1, da2, sid, 0, 0, 0, 0]);
    frame.copy(head, 10, 26, 28);
    head.writeUInt16BE(endCode | this.flags, 12);
    return headed(2, 0, Buffer.concat([head, data]));
  }

  #carryOut(service: number, body: Buffer): { endCode: number; data?: Buffer } {
    if (service !== 0x0101 && service !== 0x0102) return { endCode: EndCode.NO_SUCH_COMMAND };
    if (body.length < 6) return { endCode: 0x1002 };
    const area = body.readUInt8(0);
    const start = body.readUInt16BE(1);
    const bit = body.readUInt8(3);
    const count = body.readUInt16BE(4);
    const written = service === 0x0102 ? body.subarray(6) : undefined;
    const isWords = wordAreas.includes(area);
    if (area === AreaCode.F) return this.#flags(start, count, written);
    if (!isWords && !isBitCode(area)) return { endCode: EndCode.NO_SUCH_AREA };
    if (written !== undefined && [AreaCode.A, AreaCode.A ^ 0x80].includes(area))
      return { endCode: EndCode.READ_ONLY };
    const code = isWords ? area : area ^ 0x80;
    const places = isWords ? count : Math.ceil((bit + count) / 16);
    if (count > this.mostWords)
      return { endCode: written === undefined ? EndCode.RESPONSE_TOO_LONG : EndCode.TOO_LONG };
    if (!this.memory.has(code, start, places)) return { endCode: EndCode.OUT_OF_RANGE };
    return isWords
      ? this.#words(code, start, count, written)
      : this.#bits(code, 16 * start + bit, count, written);
  }

  #words(
    area: number,
    start: number,
    count: number,
    written: Buffer | undefined,
  ): { endCode: number; data?: Buffer } {
    const words = this.memory.words(area);
    if (written !== undefined) {
      if (written.length !== 2 * count) return { endCode: 0x1003 };
      for (let i = 0; i < count; i++) words[start + i] = written.readUInt16BE(2 * i);
      return { endCode: 0 };
    }
    const data = Buffer.alloc(2 * count);
    for (let i = 0; i < count; i++) data.writeUInt16BE(words[start + i] as number, 2 * i);
    return { endCode: 0, data };
  }

  #bits(
    area: number,
    first: number,
    count: number,
    written: Buffer | undefined,
  ): { endCode: number; data?: Buffer } {
    const words = this.memory.words(area);
    if (written !== undefined && written.length !== count) return { endCode: 0x1003 };
    const data = Buffer.alloc(count);
    for (let i = 0; i < count; i++) {
      const word = (first + i) >> 4;
      const mask = 1 << ((first + i) & 15);
      const old = words[word] as number;
      if (written === undefined) data[i] = (old & mask) === 0 ? 0 : 1;
      else words[word] = written[i] === 0 ? old & ~mask : old | mask;
    }
    return written === undefined ? { endCode: 0, data } : { endCode: 0 };
  }

  #flags(start: number, count: number, written: Buffer | undefined): { endCode: number; data?: Buffer } {
    if (written !== undefined) return { endCode: EndCode.READ_ONLY };
    if (!this.memory.has(AreaCode.F, start, count)) return { endCode: EndCode.OUT_OF_RANGE };
    return { endCode: 0, data: Buffer.from(this.memory.bits(AreaCode.F).subarray(start, start + count)) };
  }
}

/** Codes of bits: those of CIO, W, H, A, D and of the EM banks. */
function isBitCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x33) ||
    code === 0x02 ||
    (code >= 0x20 && code <= 0x2f) ||
    (code >= 0xe0 && code <= 0xe8)
  );
}

function headed(command: number, error: number, body: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.write('FINS', 'latin1');
  head.writeUInt32BE(8 + body.length, 4);
  head.writeUInt32BE(command, 8);
  head.writeUInt32BE(error, 12);
  return Buffer.concat([head, body]);
}
