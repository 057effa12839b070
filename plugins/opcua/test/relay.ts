import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Numbers of the binary encodings of messages (OPC 10000-6, annex A). */
export const Message = {
  CREATE_SESSION_REQUEST: 461,
  READ_REQUEST: 631,
  READ_RESPONSE: 634,
  CREATE_SUBSCRIPTION_REQUEST: 787,
  DELETE_SUBSCRIPTIONS_REQUEST: 847,
  WRITE_REQUEST: 673,
  PUBLISH_RESPONSE: 829,
} as const;

/** One chunk of a message without security, as OPC 10000-6, 6.7.2 lays it out. */
export interface Chunk {
  readonly bytes: Buffer;
  /** MSG, OPN, HEL and so on. */
  readonly kind: string;
  /** Number of the message's encoding, 0 in other than MSG and in chunks after the first. */
  readonly message: number;
  /** Bytes of the message so far. */
  readonly size: number;
}

/**
 * What becomes of a chunk: it goes on, it is lost, the connection ends with an ERR message of this status, the message is broken off
 * with it, or a ServiceFault with it takes the place of a message of one chunk.
 */
export type Fate =
  'pass' | 'lose' | { readonly error: number } | { readonly abort: number } | { readonly fault: number };

/** Where the first value after the header of a response lies: after eight, four, four, one, four and three bytes of that. */
const afterHeader = 28 + 24;

/** Makes a response of Read or Publish impossible to decode: an array of two thousand million entries. */
export function spoil({ bytes, message }: Chunk): void {
  bytes.writeInt32LE(0x7fff_ffff, message === Message.PUBLISH_RESPONSE ? afterHeader + 4 : afterHeader);
}

/** Gives the first item of a publish response the handle of another one. */
export function misdirect({ bytes }: Chunk): void {
  const available = Math.max(0, bytes.readInt32LE(afterHeader + 4));
  const message = afterHeader + 8 + 4 * available + 1;
  const notifications = bytes.readInt32LE(message + 12);
  // A node id of four bytes, the kind of the body and its length, the length of the list.
  if (notifications > 0) bytes.writeUInt32LE(0xffff, message + 16 + 4 + 1 + 4 + 4);
}

/** Caps the time for which a session is asked for, which stands before the last four bytes of the request. */
export function capSession({ bytes }: Chunk, ms: number): void {
  bytes.writeDoubleLE(Math.min(ms, bytes.readDoubleLE(bytes.length - 12)), bytes.length - 12);
}

/** True for the opening of a channel with security. */
export function isSecuredOpening({ bytes, kind }: Chunk): boolean {
  return kind === 'OPN' && !bytes.toString('latin1', 16, 16 + bytes.readUInt32LE(12)).endsWith('#None');
}

/** A relay before a server that understands chunks: it makes a server with bad habits of any server. */
export class Relay implements AsyncDisposable {
  toServer: (chunk: Chunk) => Fate = () => 'pass';
  toClient: (chunk: Chunk) => Fate = () => 'pass';
  /** Connections that were made through it. */
  get connections(): number {
    return this.times.length;
  }
  /** When they were made. */
  readonly times: number[] = [];
  readonly #server: Server;
  readonly #host: string;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number, host: string) {
    this.#host = host;
    this.#server = createServer((client) => {
      this.times.push(performance.now());
      const server = connect(target, '127.0.0.1');
      const fail = (status: number): void => void client.end(errorOf(status));
      this.#join(client, server, (chunk) => this.toServer(chunk), fail);
      this.#join(server, client, (chunk) => this.toClient(chunk), fail);
    });
  }

  static async start(target: number, host = '127.0.0.1'): Promise<Relay> {
    const relay = new Relay(target, host);
    await new Promise<void>((resolve, reject) => {
      relay.#server.once('error', reject);
      relay.#server.listen(0, host, resolve);
    });
    return relay;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `opc.tcp://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${port}/`;
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(from: Socket, to: Socket, judge: (chunk: Chunk) => Fate, fail: (status: number) => void): void {
    this.#sockets.add(from);
    let pending = Buffer.alloc(0);
    let lost = 0;
    let hasFailed = false;
    let isFirst = true;
    let size = 0;
    let isAborted = false;
    from.on('data', (piece: Buffer) => {
      pending = Buffer.concat([pending, piece]);
      while (!hasFailed && pending.length >= 8 && pending.length >= pending.readUInt32LE(4)) {
        const bytes = Buffer.from(pending.subarray(0, pending.readUInt32LE(4)));
        pending = pending.subarray(bytes.length);
        const kind = bytes.toString('latin1', 0, 3);
        size = isFirst ? bytes.length : size + bytes.length;
        isAborted &&= !isFirst;
        const chunk = { bytes, kind, message: kind === 'MSG' && isFirst ? bytes.readUInt16LE(26) : 0, size };
        if (kind === 'MSG') isFirst = bytes[3] === 0x46;
        const fate = isAborted ? 'lose' : judge(chunk);
        if (typeof fate === 'object' && 'abort' in fate) {
          isAborted = true;
          to.write(renumbered({ ...chunk, bytes: abortOf(bytes, fate.abort) }, lost));
        } else if (typeof fate === 'object' && 'fault' in fate) {
          to.write(renumbered({ ...chunk, bytes: faultOf(bytes, fate.fault) }, lost));
        } else if (fate === 'lose') lost++;
        else if (fate === 'pass') to.write(renumbered(chunk, lost));
        else {
          hasFailed = true;
          fail(fate.error);
        }
      }
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The chunk with a sequence number from which those of lost ones before it are missing. */
function renumbered({ bytes, kind }: Chunk, lost: number): Buffer {
  if (lost === 0 || (kind !== 'MSG' && kind !== 'OPN')) return bytes;
  let at = 16;
  if (kind === 'OPN') {
    at = 12;
    for (let field = 0; field < 3; field++) at += 4 + Math.max(0, bytes.readInt32LE(at));
  }
  bytes.writeUInt32LE(bytes.readUInt32LE(at) - lost, at);
  return bytes;
}

/** A last chunk with a status and a reason instead of a body (OPC 10000-6, 6.7.3). */
function abortOf(chunk: Buffer, status: number): Buffer {
  const bytes = Buffer.concat([chunk.subarray(0, 24), Buffer.alloc(8)]);
  bytes.write('A', 3, 'latin1');
  bytes.writeUInt32LE(bytes.length, 4);
  bytes.writeUInt32LE(status, 24);
  bytes.writeInt32LE(-1, 28);
  return bytes;
}

/** The header of a response alone is a ServiceFault (OPC 10000-4, 7.34). */
function faultOf(chunk: Buffer, status: number): Buffer {
  const bytes = Buffer.from(chunk.subarray(0, afterHeader));
  bytes.writeUInt32LE(bytes.length, 4);
  bytes.writeUInt16LE(397, 26);
  bytes.writeUInt32LE(status, 28 + 12);
  return bytes;
}

/** OPC 10000-6, 7.1.2.5. */
function errorOf(status: number): Buffer {
  const reason = Buffer.from('The relay says so.');
  const bytes = Buffer.alloc(16 + reason.length);
  bytes.write('ERRF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length, 4);
  bytes.writeUInt32LE(status, 8);
  bytes.writeUInt32LE(reason.length, 12);
  reason.copy(bytes, 16);
  return bytes;
}
