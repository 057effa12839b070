import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { crc16 } from '@tagway/modbus/rtu';
import { SerialCable, until } from '@tagway/testkit';

/** The far end of a serial line, at which a test is the master and all other slaves. */
export class Wire implements AsyncDisposable {
  readonly cable: SerialCable;
  readonly #server: Server;
  #socket: Socket;
  /** Everything that the server has sent. */
  #heard = Buffer.alloc(0);

  private constructor(server: Server, socket: Socket, cable: SerialCable) {
    this.#server = server;
    this.#socket = socket;
    this.cable = cable;
    this.#use(socket);
    // The cable is plugged in again.
    server.on('connection', (again: Socket) => this.#use(again));
  }

  static async open(): Promise<Wire> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const cable = await SerialCable.open(typeof address === 'object' && address !== null ? address.port : 0);
    const [socket] = await connected;
    return new Wire(server, socket, cable);
  }

  get heard(): string {
    return this.#heard.toString('hex');
  }

  say(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Sends a request and resolves with the answer, whose checksum it takes off. */
  async ask(request: string): Promise<string> {
    const from = this.#heard.length;
    this.say(frame(request));
    let answer: Buffer | undefined;
    await until('there is an answer', () => (answer = frameAt(this.#heard, from)) !== undefined);
    return answer!.toString('hex', 0, answer!.length - 2);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cable[Symbol.asyncDispose]();
    this.#socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #use(socket: Socket): void {
    this.#socket = socket.setNoDelay();
    socket.on('data', (data) => (this.#heard = Buffer.concat([this.#heard, data])));
    socket.on('error', () => undefined);
  }
}

/** Unit and protocol data unit in hexadecimal digits, with the checksum behind them. */
export function frame(hex: string): Buffer {
  const body = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(crc16(body, 0, body.length));
  return Buffer.concat([body, sum]);
}

function frameAt(data: Buffer, from: number): Buffer | undefined {
  for (let end = from + 4; end <= data.length; end++)
    if (crc16(data, from, end) === 0) return data.subarray(from, end);
  return undefined;
}
