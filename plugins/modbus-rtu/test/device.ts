import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Memory } from '@tagway/modbus/test';
import { crc16 } from '../src/frame.ts';

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
export class Device extends Memory implements AsyncDisposable {
  port = 0;
  readonly requests: Request[] = [];
  /** Times of the requests, by `performance.now()`. */
  readonly times: number[] = [];
  connections = 0;
  script: Script = (_request, usual) => usual();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  /** Listens on the port, or on a free one, which it returns. */
  async listen(port = 0): Promise<number> {
    const server = createServer((socket) => this.#serve(socket)).listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return (this.port = (server.address() as AddressInfo).port);
  }

  /** Dials in to a gateway that listens. */
  async dial(port: number): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    this.#serve(socket);
  }

  /** The requests since the last call, as "unit/function start+count". */
  asked(): string[] {
    this.times.length = 0;
    return this.requests
      .splice(0)
      .map(({ unit, pdu }) => `${unit}/${pdu[0]} ${pdu.readUInt16BE(1)}+${pdu.readUInt16BE(3)}`);
  }

  /** Answers each request so many milliseconds later. What it returns counts the requests that wait at once, at the most. */
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

  /** Bytes that nobody asked for. */
  babble(bytes: Buffer): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #serve(socket: Socket): void {
    this.connections++;
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    let rest = Buffer.alloc(0);
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (let size = sizeOf(rest); size <= rest.length; size = sizeOf(rest)) {
        this.#answer(rest.subarray(0, size), (bytes) => {
          if (socket.writable) socket.write(bytes);
        });
        rest = rest.subarray(size);
      }
    });
  }

  #answer(adu: Buffer, send: (bytes: Buffer) => void): void {
    if (crc16(adu, 0, adu.length) !== 0) throw new Error('The driver sent a frame with a wrong checksum.');
    const request = { unit: adu[0] ?? 0, pdu: Buffer.from(adu.subarray(1, -2)), send };
    this.requests.push(request);
    this.times.push(performance.now());
    const answer = this.script(request, () => this.answer(request.pdu));
    if (answer !== undefined && request.unit !== 0) send(frame(request.unit, answer));
  }
}

/** Bytes of the request that begins here. */
function sizeOf(data: Buffer): number {
  if (data.length < 8) return Infinity;
  return data[1] === 15 || data[1] === 16 ? 9 + (data[6] ?? 0) : 8;
}
