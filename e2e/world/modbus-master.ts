import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A master of Modbus TCP: sends protocol data units in hexadecimal digits, one after the other, and gives the answers as such. */
export class ModbusMaster implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #closed: Promise<never>;
  isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    this.#closed = new Promise((_, reject) =>
      socket.once('close', () => {
        this.isClosed = true;
        reject(new Error('The connection of the master was closed.'));
      }),
    );
    this.#closed.catch(() => undefined);
  }

  static async connect(port: number, host = '127.0.0.1'): Promise<ModbusMaster> {
    const socket = connect({ port, host, noDelay: true });
    await once(socket, 'connect');
    return new ModbusMaster(socket);
  }

  async ask(pdu: string, unit = 1): Promise<string> {
    const body = Buffer.from(pdu.replaceAll(' ', ''), 'hex');
    const header = Buffer.from([0, 1, 0, 0, 0, body.length + 1, unit]);
    this.#socket.write(Buffer.concat([header, body]));
    let answer = Buffer.alloc(0);
    while (answer.length < 6 || answer.length < 6 + answer.readUInt16BE(4)) {
      const [data] = (await Promise.race([once(this.#socket, 'data'), this.#closed])) as [Buffer];
      answer = Buffer.concat([answer, data]);
    }
    return answer.toString('hex', 7);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isClosed) return;
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }
}
