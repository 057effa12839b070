import { FrameServer } from '@tagway/testkit';

/** Meters on one wire, which ends in a TCP connection. Frames are made here, without the driver's own code. */
export class Simulator extends FrameServer {
  /** By address of the meter, by item such as "02-01-01-00": the bytes that are sent, as hexadecimal digits, the first one sent first. */
  readonly meters = new Map<string, Map<string, string>>();
  /** Most bytes of an item in one frame. */
  most = 200;
  /** Bytes before an answer. */
  preamble = Buffer.alloc(4, 0xfe);

  constructor() {
    super({ length: lengthOf, answer: (frame) => this.#answer(frame) });
  }

  /** Gives a meter items. */
  meter(address: string, items: Readonly<Record<string, string>>): this {
    const known = this.meters.get(address) ?? new Map<string, string>();
    for (const [item, data] of Object.entries(items)) known.set(item, data.replaceAll(' ', ''));
    this.meters.set(address, known);
    return this;
  }

  /** What was asked since the last call, such as "123456789012 11 02-01-01-00". */
  takeRequests(): string[] {
    return this.requests.splice(0).map((frame) => {
      const { address, control, item, sequence } = requestOf(frame);
      return [address, control.toString(16), item, ...(sequence === undefined ? [] : [sequence])].join(' ');
    });
  }

  #answer(bytes: Buffer): Buffer | undefined {
    const { address, control, item, sequence = 0, identifier } = requestOf(bytes);
    const items = this.meters.get(address);
    if (items === undefined) return undefined;
    const data = items.get(item);
    if (data === undefined) return this.frame(address, control | 0xc0, Buffer.of(2));
    const all = Buffer.from(data, 'hex');
    const start = sequence * this.most;
    const part = all.subarray(start, start + this.most);
    const flags = 0x80 | (start + this.most < all.length ? 0x20 : 0);
    const tail = control === 0x12 ? [sequence] : [];
    return this.frame(address, control | flags, Buffer.concat([identifier, part, Buffer.from(tail)]));
  }

  /** A frame of a meter. */
  frame(address: string, control: number, data: Buffer): Buffer {
    const digits = address.match(/../g) as string[];
    const body = Buffer.from([
      0x68,
      ...digits.reverse().map((pair) => parseInt(pair, 16)),
      0x68,
      control,
      data.length,
      ...data.map((byte) => (byte + 0x33) % 256),
    ]);
    const sum = body.reduce((total, byte) => total + byte, 0) % 256;
    return Buffer.concat([this.preamble, body, Buffer.of(sum, 0x16)]);
  }
}

function wakesUp(bytes: Buffer): number {
  let count = 0;
  while (bytes[count] === 0xfe) count++;
  return count;
}

function lengthOf(bytes: Buffer): number {
  const at = wakesUp(bytes);
  if (bytes.length < at + 10) return 0;
  if (bytes[at] !== 0x68 || bytes[at + 7] !== 0x68)
    throw new Error('The driver sent something that is no frame.');
  return at + 12 + (bytes[at + 9] as number);
}

interface RequestParts {
  readonly address: string;
  readonly control: number;
  readonly item: string;
  readonly identifier: Buffer;
  readonly sequence: number | undefined;
}

/** Takes a request apart, and complains of one that no meter would take. */
export function requestOf(bytes: Buffer): RequestParts {
  const at = wakesUp(bytes);
  const frame = bytes.subarray(at);
  const sum = frame.subarray(0, -2).reduce((total, byte) => total + byte, 0) % 256;
  if (at !== 4 || frame.at(-1) !== 0x16 || frame.at(-2) !== sum)
    throw new Error('The driver sent a broken frame.');
  const address = Buffer.from(frame.subarray(1, 7)).reverse().toString('hex');
  const data = Buffer.from(frame.subarray(10, -2).map((byte) => (byte - 0x33 + 256) % 256));
  const identifier = data.subarray(0, 4);
  const item = (Buffer.from(identifier).reverse().toString('hex').match(/../g) as string[])
    .join('-')
    .toUpperCase();
  return { address, control: frame[8] as number, item, identifier, sequence: data[4] };
}
