import { crc16 } from '@tagway/modbus/rtu';
import { Memory } from '@tagway/modbus/test';
import { FrameListener, type Sender } from '@tagway/testkit';

/** One request as the device saw it. */
export interface Request {
  readonly unit: number;
  readonly pdu: Buffer;
  /** Sends any bytes. */
  readonly send: (bytes: Buffer) => void;
}

/** Protocol data unit of an answer, or undefined to stay silent. */
export type Script = (request: Request, usual: () => Buffer) => Buffer | undefined;

export function frame(unit: number, pdu: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from([unit]), pdu]);
  const crc = crc16(body, 0, body.length);
  return Buffer.concat([body, Buffer.from([crc & 0xff, crc >> 8])]);
}

/** Modbus RTU devices on one wire, which ends in a TCP connection; a test scripts what they do. Unit 0 is obeyed in silence. */
export class Device extends FrameListener {
  readonly memory = new Memory();
  readonly requests: Request[] = [];
  /** Times of the requests, by `performance.now()`. */
  readonly times: number[] = [];
  script: Script = (_request, usual) => usual();

  /** The requests since the last call, as "unit/function start+count". */
  asked(): string[] {
    this.times.length = 0;
    return this.requests
      .splice(0)
      .map(({ unit, pdu }) => `${unit}/${pdu[0]} ${pdu.readUInt16BE(1)}+${pdu.readUInt16BE(3)}`);
  }

  /** Answers each request `ms` milliseconds later. The result counts the most requests that waited at once. */
  answerAfter(ms: number): { readonly most: number } {
    const seen = { most: 0 };
    let waiting = 0;
    this.script = ({ unit, send }, usual) => {
      seen.most = Math.max(seen.most, ++waiting);
      const bytes = frame(unit, usual());
      setTimeout(() => {
        waiting--;
        send(bytes);
      }, ms);
      return undefined;
    };
    return seen;
  }

  protected length(bytes: Buffer): number {
    if (bytes.length < 8) return 0;
    return bytes[1] === 15 || bytes[1] === 16 ? 9 + (bytes[6] ?? 0) : 8;
  }

  protected take(adu: Buffer, { send }: Sender): void {
    if (crc16(adu, 0, adu.length) !== 0) throw new Error('The driver sent a frame with a wrong checksum.');
    const request = { unit: adu[0] ?? 0, pdu: Buffer.from(adu.subarray(1, -2)), send };
    this.requests.push(request);
    this.times.push(performance.now());
    const answer = this.script(request, () => this.memory.answer(request.pdu));
    if (answer !== undefined && request.unit !== 0) send(frame(request.unit, answer));
  }
}
