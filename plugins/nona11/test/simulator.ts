import { FrameServer } from '@tagway/testkit';

/** A device of the assumed framing. Frames are made here, without the driver's own code. */
export class Simulator extends FrameServer {
  /** By site and command, such as "1!3": the bytes of the answer. A site without any stays silent. */
  readonly replies = new Map<string, Buffer>();

  constructor() {
    super({
      length: (bytes) => (bytes.length < 6 ? 0 : 6 + bytes.readUInt16BE(4)),
      answer: (frame) => this.#answer(frame),
    });
  }

  /** What was asked since the last call, such as "1!3". */
  takeRequests(): string[] {
    return this.requests.splice(0).map((frame) => `${frame[6]}!${frame[7]}`);
  }

  #answer(frame: Buffer): Buffer | undefined {
    const [site = 0, command = 0] = frame.subarray(6);
    if (![...this.replies.keys()].some((key) => key.startsWith(`${site}!`))) return undefined;
    const bytes = this.replies.get(`${site}!${command}`);
    return bytes === undefined ? frameOf(site, command + 0x80, Buffer.of(2)) : frameOf(site, command, bytes);
  }
}

export function frameOf(site: number, command: number, bytes: Buffer): Buffer {
  const size = bytes.length + 2;
  return Buffer.concat([Buffer.of(0, 0, 0, 0, size >> 8, size % 256, site, command), bytes]);
}
