import { Memory } from '@tagway/modbus/test';
import { FrameListener, type Sender } from '@tagway/testkit';

/** One request as the device saw it. */
export interface Request {
  readonly id: number;
  readonly unit: number;
  readonly code: number;
  readonly start: number;
  /** Quantity, or the value that functions 05 and 06 write. */
  readonly count: number;
  readonly pdu: Buffer;
  /** The port that it came from. */
  readonly port: number;
  /** Sends any bytes, to the one who asked. */
  readonly send: (bytes: Buffer) => void;
}

/** Protocol data unit of an answer, or undefined to stay silent. */
export type Script = (request: Request, usual: () => Buffer) => Buffer | undefined;

/** An exception as the answer to a request. */
export function exception(request: Request, code: number): Buffer {
  return Buffer.from([request.code | 0x80, code]);
}

/** A frame around a protocol data unit. */
export function frame(id: number, unit: number, pdu: Buffer): Buffer {
  const head = Buffer.alloc(7);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(pdu.length + 1, 4);
  head[6] = unit;
  return Buffer.concat([head, pdu]);
}

/** A Modbus device with a memory, whose behaviour a test scripts. */
export class Device extends FrameListener {
  readonly memory = new Memory();
  readonly requests: Request[] = [];
  script: Script = (_request, usual) => usual();

  /** The requests since the last call, as "unit/code start+count". */
  asked(): string[] {
    return this.requests.splice(0).map(({ unit, code, start, count }) => `${unit}/${code} ${start}+${count}`);
  }

  protected length(bytes: Buffer): number {
    return bytes.length < 6 ? 0 : 6 + bytes.readUInt16BE(4);
  }

  protected take(adu: Buffer, { port, send }: Sender): void {
    const pdu = Buffer.from(adu.subarray(7));
    const request: Request = {
      id: adu.readUInt16BE(0),
      unit: adu[6] ?? 0,
      code: pdu[0] ?? 0,
      start: pdu.readUInt16BE(1),
      count: pdu.readUInt16BE(3),
      pdu,
      port,
      send,
    };
    this.requests.push(request);
    const answer = this.script(request, () => this.memory.answer(pdu));
    if (answer !== undefined) send(frame(request.id, request.unit, answer));
  }
}
