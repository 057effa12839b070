import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

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

/** A Modbus device with a memory, whose behaviour a test scripts. Register `i` holds `i` at first, bit `i` is `i % 3 === 0`. */
export class Device {
  readonly registers = Uint16Array.from({ length: 65_536 }, (_, index) => index);
  readonly coils = Uint8Array.from({ length: 65_536 }, (_, index) => (index % 3 === 0 ? 1 : 0));
  /** Addresses that do not exist: requests that touch them get exception 2. */
  readonly holes = new Set<number>();
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
    return (server.address() as AddressInfo).port;
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
    return socket.address().port;
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
    const answer = this.script(request, () => this.#usual(request));
    if (answer !== undefined) send(frame(request.id, request.unit, answer));
  }

  #usual(request: Request): Buffer {
    const { code, start, count, pdu } = request;
    const touched = code === 5 || code === 6 ? 1 : count;
    for (let i = start; i < start + touched; i++) if (this.holes.has(i)) return exception(request, 2);
    if (start + touched > 65_536) return exception(request, 2);
    switch (code) {
      case 1:
      case 2: {
        if (count < 1 || count > 2000) return exception(request, 3);
        const data = Buffer.alloc(Math.ceil(count / 8));
        for (let i = 0; i < count; i++) data[i >> 3]! |= this.coils[start + i]! << (i & 7);
        return Buffer.concat([Buffer.from([code, data.length]), data]);
      }
      case 3:
      case 4: {
        if (count < 1 || count > 125) return exception(request, 3);
        const answer = Buffer.alloc(2 + 2 * count);
        answer.set([code, 2 * count]);
        for (let i = 0; i < count; i++) answer.writeUInt16BE(this.registers[start + i]!, 2 + 2 * i);
        return answer;
      }
      case 5:
        this.coils[start] = count === 0xff00 ? 1 : 0;
        return pdu;
      case 6:
        this.registers[start] = count;
        return pdu;
      case 15:
        if (count < 1 || count > 1968) return exception(request, 3);
        for (let i = 0; i < count; i++) this.coils[start + i] = (pdu[6 + (i >> 3)]! >> (i & 7)) & 1;
        return pdu.subarray(0, 5);
      case 16:
        if (count < 1 || count > 123) return exception(request, 3);
        for (let i = 0; i < count; i++) this.registers[start + i] = pdu.readUInt16BE(6 + 2 * i);
        return pdu.subarray(0, 5);
      default:
        return exception(request, 1);
    }
  }
}
