import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Memory } from '@tagway/modbus/test';

/** One request as the device saw it. */
export interface Request {
  readonly id: number;
  readonly unit: number;
  readonly code: number;
  readonly start: number;
  /** Quantity, or the value that functions 05 and 06 write. */
  readonly count: number;
  readonly pdu: Buffer;
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
export class Device extends Memory implements AsyncDisposable {
  port = 0;
  readonly requests: Request[] = [];
  /** Number of connections so far. */
  connections = 0;
  readonly sockets = new Set<Socket>();
  script: Script = (_request, usual) => usual();
  /** Told from which port every datagram came, before it is answered. */
  onDatagram: (port: number) => void = () => undefined;
  #server: Server | undefined;
  #datagrams: DatagramSocket | undefined;

  /** Listens on the port, or on a free one, which it returns. */
  async listen(port = 0): Promise<number> {
    const server = createServer((socket) => this.#serve(socket)).listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return (this.port = (server.address() as AddressInfo).port);
  }

  /** Serves UDP on the port, or on a free one, which it returns. */
  async listenUdp(port = 0): Promise<number> {
    const socket = createSocket('udp4');
    socket.on('message', (data, from) => {
      this.onDatagram(from.port);
      this.#answer(data, (bytes) => socket.send(bytes, from.port, from.address));
    });
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    this.#datagrams = socket;
    return (this.port = socket.address().port);
  }

  /** Dials in to a gateway that listens. */
  async dial(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    this.#serve(socket);
    return socket;
  }

  /** The requests since the last call, as "unit/code start+count". */
  asked(): string[] {
    return this.requests.splice(0).map(({ unit, code, start, count }) => `${unit}/${code} ${start}+${count}`);
  }

  /** Cuts every connection, as a device does that loses power. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    const [server, datagrams] = [this.#server, this.#datagrams];
    this.#server = this.#datagrams = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
    if (datagrams !== undefined) await new Promise<void>((resolve) => datagrams.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #serve(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    let rest = Buffer.alloc(0);
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      while (rest.length >= 6 && rest.length >= 6 + rest.readUInt16BE(4)) {
        const size = 6 + rest.readUInt16BE(4);
        this.#answer(rest.subarray(0, size), (bytes) => {
          if (socket.writable) socket.write(bytes);
        });
        rest = rest.subarray(size);
      }
    });
  }

  #answer(adu: Buffer, send: (bytes: Buffer) => void): void {
    const pdu = Buffer.from(adu.subarray(7));
    const request: Request = {
      id: adu.readUInt16BE(0),
      unit: adu[6] ?? 0,
      code: pdu[0] ?? 0,
      start: pdu.readUInt16BE(1),
      count: pdu.readUInt16BE(3),
      pdu,
      send,
    };
    this.requests.push(request);
    const answer = this.script(request, () => this.answer(pdu));
    if (answer !== undefined) send(frame(request.id, request.unit, answer));
  }
}
