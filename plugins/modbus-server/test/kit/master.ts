import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A frame on the wire, for a second opinion. */
export interface Sent {
  readonly fromClient: boolean;
  readonly bytes: Buffer;
}

/** A master over TCP, written apart from the code of the plugin: it sends any bytes, and waits for the answers by transaction. */
export class Master implements AsyncDisposable {
  readonly wire: Sent[] = [];
  readonly socket: Socket;
  isClosed = false;
  #kept = Buffer.alloc(0);
  #transaction = 0;
  readonly #waiting = new Map<number, (pdu: Buffer) => void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (data) => this.#take(data));
    socket.on('error', () => undefined);
    socket.once('close', () => (this.isClosed = true));
  }

  static async connect(port: number, options: { readonly localAddress?: string } = {}): Promise<Master> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, ...options });
    const master = new Master(socket);
    await once(socket, 'connect');
    return master;
  }

  /** Sends a request, given as hexadecimal digits, and resolves with the answer in hexadecimal digits. */
  async ask(pdu: string, unit = 1): Promise<string> {
    const answer = await this.begin(pdu, unit);
    return answer.toString('hex');
  }

  /** Sends a request. The answer is that with its transaction. */
  begin(pdu: string, unit = 1): Promise<Buffer> {
    const body = Buffer.from(pdu.replaceAll(' ', ''), 'hex');
    const id = ++this.#transaction & 0xffff;
    const frame = Buffer.alloc(7 + body.length);
    frame.writeUInt16BE(id, 0);
    frame.writeUInt16BE(body.length + 1, 4);
    frame[6] = unit;
    body.copy(frame, 7);
    this.send(frame);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  send(bytes: Buffer): void {
    this.wire.push({ fromClient: true, bytes });
    this.socket.write(bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isClosed) return;
    const closed = once(this.socket, 'close');
    this.socket.destroy();
    await closed;
  }

  #take(data: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, data]);
    while (this.#kept.length >= 6) {
      const size = 6 + this.#kept.readUInt16BE(4);
      if (this.#kept.length < size) return;
      const frame = this.#kept.subarray(0, size);
      this.#kept = this.#kept.subarray(size);
      this.wire.push({ fromClient: false, bytes: Buffer.from(frame) });
      const id = frame.readUInt16BE(0);
      this.#waiting.get(id)?.(Buffer.from(frame.subarray(7)));
      this.#waiting.delete(id);
    }
  }
}
