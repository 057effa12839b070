import { SimulatedMemory } from '@tagway/plc-words/test';
import { FrameServer } from '@tagway/testkit';

/** End codes that the simulated PLC gives, as the manual numbers them. */
export const EndCode = {
  TOO_MANY_BITS: 0xc051,
  TOO_MANY_WORDS: 0xc052,
  BEYOND_LAST: 0xc056,
  NO_SUCH_COMMAND: 0xc059,
  NO_SUCH_DEVICE: 0xc05b,
} as const;

/** Codes of devices, as the manual numbers them. */
export const DeviceCode = {
  X: 0x9c,
  Y: 0x9d,
  DX: 0xa2,
  DY: 0xa3,
  B: 0xa0,
  SB: 0xa1,
  M: 0x90,
  SM: 0x91,
  L: 0x92,
  F: 0x93,
  V: 0x94,
  S: 0x98,
  TS: 0xc1,
  TC: 0xc0,
  STS: 0xc7,
  STC: 0xc6,
  CS: 0xc4,
  CC: 0xc3,
  TN: 0xc2,
  STN: 0xc8,
  CN: 0xc5,
  D: 0xa8,
  SD: 0xa9,
  W: 0xb4,
  SW: 0xb5,
  R: 0xaf,
  ZR: 0xb0,
  Z: 0xcc,
} as const;

const wordNames = ['TN', 'STN', 'CN', 'D', 'SD', 'W', 'SW', 'R', 'ZR', 'Z'] as const;

/** The devices that are made of bits. */
export const bitDevices = Object.keys(DeviceCode).filter(
  (name) => !(wordNames as readonly string[]).includes(name),
) as (keyof typeof DeviceCode)[];

const wordCodes: readonly number[] = wordNames.map((name) => DeviceCode[name]);
const codes: readonly number[] = Object.values(DeviceCode);

interface Outcome {
  readonly endCode: number;
  readonly data?: Buffer;
}

const refused = (endCode: number): Outcome => ({ endCode });

/** A MELSEC PLC behind binary 3E frames. */
export class Simulator extends FrameServer {
  readonly memory = new SimulatedMemory(1 << 20);
  mostWords = 960;
  mostBits = 7168;

  constructor() {
    super({
      length: (bytes) => (bytes.length < 9 ? 0 : 9 + bytes.readUInt16LE(7)),
      answer: (frame) => this.#answer(frame),
    });
  }

  /** The words of D. */
  get d(): Uint16Array {
    return this.memory.words(DeviceCode.D);
  }

  #answer(frame: Buffer): Buffer | undefined {
    if (frame[0] !== 0x50 || frame.length < 15) return undefined;
    const { endCode, data } = this.#carryOut(
      frame.readUInt16LE(11),
      frame.readUInt16LE(13),
      frame.subarray(15),
    );
    // An error is followed by the route, the command and the subcommand.
    const body =
      endCode === 0
        ? (data ?? Buffer.alloc(0))
        : Buffer.concat([frame.subarray(2, 7), frame.subarray(11, 15)]);
    const head = Buffer.from([0xd0, 0, ...frame.subarray(2, 7), 0, 0, 0, 0]);
    head.writeUInt16LE(2 + body.length, 7);
    head.writeUInt16LE(endCode, 9);
    return Buffer.concat([head, body]);
  }

  #carryOut(command: number, unit: number, body: Buffer): Outcome {
    if (command === 0x0401 && unit === 0) return this.#readWords(body);
    if (command === 0x0401 && unit === 1) return this.#readBits(body);
    if (command === 0x1401 && unit === 0) return this.#writeWords(body);
    if (command === 0x1401 && unit === 1) return this.#writeBits(body);
    if (command === 0x1402 && unit === 0) return this.#writeRandomWords(body);
    if (command === 0x1402 && unit === 1) return this.#writeRandomBits(body);
    return refused(EndCode.NO_SUCH_COMMAND);
  }

  /** The device, its number and how many points are asked for, or the end code that refuses them. */
  #range(body: Buffer, isBits: boolean): { code: number; start: number; count: number } | number {
    const start = body.readUIntLE(0, 3);
    const code = body.readUInt8(3);
    const count = body.readUInt16LE(4);
    if (!codes.includes(code) || isBits === wordCodes.includes(code)) return EndCode.NO_SUCH_DEVICE;
    if (isBits && count > this.mostBits) return EndCode.TOO_MANY_BITS;
    if (!isBits && count > this.mostWords) return EndCode.TOO_MANY_WORDS;
    return this.memory.has(code, start, count) ? { code, start, count } : EndCode.BEYOND_LAST;
  }

  #readWords(body: Buffer): Outcome {
    const range = this.#range(body, false);
    if (typeof range === 'number') return refused(range);
    const { code, start, count } = range;
    const data = Buffer.alloc(2 * count);
    const words = this.memory.words(code);
    for (let i = 0; i < count; i++) data.writeUInt16LE(words[start + i] as number, 2 * i);
    return { endCode: 0, data };
  }

  #readBits(body: Buffer): Outcome {
    const range = this.#range(body, true);
    if (typeof range === 'number') return refused(range);
    const bits = this.memory.bits(range.code).subarray(range.start, range.start + range.count);
    const digits = Array.from(bits, String).join('');
    return { endCode: 0, data: Buffer.from(digits.padEnd(digits.length + (digits.length % 2), '0'), 'hex') };
  }

  #writeWords(body: Buffer): Outcome {
    const range = this.#range(body, false);
    if (typeof range === 'number') return refused(range);
    const { code, start, count } = range;
    if (body.length !== 6 + 2 * count) return refused(0xc061);
    for (let i = 0; i < count; i++) this.memory.words(code)[start + i] = body.readUInt16LE(6 + 2 * i);
    return { endCode: 0 };
  }

  #writeBits(body: Buffer): Outcome {
    const range = this.#range(body, true);
    if (typeof range === 'number') return refused(range);
    const { code, start, count } = range;
    const digits = body.subarray(6).toString('hex');
    if (digits.length !== count + (count % 2)) return refused(0xc061);
    for (let i = 0; i < count; i++) this.memory.bits(code)[start + i] = Number(digits[i]);
    return { endCode: 0 };
  }

  /** Nothing is written unless all of it can be. */
  #writeRandomWords(body: Buffer): Outcome {
    const [single = 0, double = 0] = body;
    if (12 * single + 14 * double > 1920) return refused(EndCode.TOO_MANY_WORDS);
    if (body.length !== 2 + 6 * single + 8 * double) return refused(0xc061);
    const writes: (() => void)[] = [];
    for (let i = 0, at = 2; i < single + double; i++) {
      const start = body.readUIntLE(at, 3);
      const code = body.readUInt8(at + 3);
      const count = i < single ? 1 : 2;
      if (!wordCodes.includes(code)) return refused(EndCode.NO_SUCH_DEVICE);
      if (!this.memory.has(code, start, count)) return refused(EndCode.BEYOND_LAST);
      for (let word = 0; word < count; word++) {
        const value = body.readUInt16LE(at + 4 + 2 * word);
        writes.push(() => void (this.memory.words(code)[start + word] = value));
      }
      at += 4 + 2 * count;
    }
    for (const write of writes) write();
    return { endCode: 0 };
  }

  #writeRandomBits(body: Buffer): Outcome {
    const [count = 0] = body;
    if (count > 188) return refused(EndCode.TOO_MANY_BITS);
    if (body.length !== 1 + 5 * count) return refused(0xc061);
    const entries = Array.from({ length: count }, (_, index) => body.subarray(1 + 5 * index, 6 + 5 * index));
    for (const entry of entries) {
      const start = entry.readUIntLE(0, 3);
      const code = entry.readUInt8(3);
      if (!codes.includes(code) || wordCodes.includes(code)) return refused(EndCode.NO_SUCH_DEVICE);
      if (!this.memory.has(code, start, 1)) return refused(EndCode.BEYOND_LAST);
    }
    for (const entry of entries)
      this.memory.bits(entry.readUInt8(3))[entry.readUIntLE(0, 3)] = entry.readUInt8(4);
    return { endCode: 0 };
  }
}
