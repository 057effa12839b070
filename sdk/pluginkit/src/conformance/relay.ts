import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What the relay does with the bytes: `pass`; `silent` discards requests; `slow` passes answers late and in pieces; `held` keeps answers
 * until `release` is called; `garbage` answers with random bytes; `dying` stops listening at the next request, until `listen` is called.
 */
export type LinkCondition = 'pass' | 'silent' | 'slow' | 'held' | 'garbage' | 'dying';

const host = '127.0.0.1';
/** Milliseconds by which `slow` delays an answer. */
export const delay = 150;

/** A proxy between a driver or an app and its device or server, which simulates a faulty connection. */
export abstract class Relay implements AsyncDisposable {
  condition: LinkCondition = 'pass';
  /** Bytes that came from the plugin. */
  bytesReceived = 0;
  /** Connections, or senders of datagrams, so far. */
  connections = 0;
  port = 0;
  /** Connections that the plugin has open now; always 0 over UDP. */
  open = 0;
  protected readonly target: number;
  #record: Buffer[] | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  #held: (() => void)[] = [];
  /** Delayed pieces of `slow`, in the order in which they are delivered. */
  #late: (() => void)[] = [];

  protected constructor(target: number) {
    this.target = target;
  }

  /** Begins to record what the plugin sends, in the list that it returns. */
  record(): readonly Buffer[] {
    return (this.#record = []);
  }

  /** Delivers the held answers. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const pass of held) pass();
  }

  /** Listens, on the same port as before. */
  abstract listen(): Promise<void>;

  /** Ends every connection and stops listening, as a device that loses power. */
  async shutDown(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#held = [];
    this.#late = [];
    await this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutDown();
  }

  protected abstract close(): Promise<void>;

  /** The pieces in which `slow` delivers an answer. */
  protected abstract pieces(bytes: Buffer): Buffer[];

  protected request(bytes: Buffer, forward: (bytes: Buffer) => void, back: (bytes: Buffer) => void): void {
    this.bytesReceived += bytes.length;
    this.#record?.push(bytes);
    if (this.condition === 'pass' || this.condition === 'slow' || this.condition === 'held') forward(bytes);
    else if (this.condition === 'garbage') back(noise(this.bytesReceived));
    else if (this.condition === 'dying') {
      this.condition = 'pass';
      void this.shutDown();
    }
  }

  protected answer(bytes: Buffer, back: (bytes: Buffer) => void): void {
    if (this.condition === 'pass') back(bytes);
    if (this.condition === 'held') this.#held.push(() => back(bytes));
    if (this.condition !== 'slow') return;
    for (const [index, piece] of this.pieces(bytes).entries()) {
      this.#later(delay + 20 * index, () => back(piece));
    }
  }

  #later(ms: number, work: () => void): void {
    this.#late.push(work);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#late.shift()?.();
    }, ms);
    this.#timers.add(timer);
  }
}

export class TcpRelay extends Relay {
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  static async open(target: number): Promise<TcpRelay> {
    const relay = new TcpRelay(target);
    await relay.listen();
    return relay;
  }

  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    this.#server = createServer((socket) => this.#serve(socket)).listen(this.port, host);
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  protected async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  protected pieces(bytes: Buffer): Buffer[] {
    const half = bytes.length >> 1;
    return [bytes.subarray(0, half), bytes.subarray(half)];
  }

  /** What comes from near is the plugin's, and what comes from far its peer's. */
  protected join(near: Socket, far: Socket, back: (bytes: Buffer) => void): void {
    near.on('data', (bytes) => this.request(bytes, (more) => far.write(more), back));
    far.on('data', (bytes) => this.answer(bytes, back));
  }

  #serve(near: Socket): void {
    this.connections++;
    this.open++;
    near.on('close', () => this.open--);
    const far = connect(this.target, host);
    const back = (bytes: Buffer): void => {
      if (near.writable) near.write(bytes);
    };
    this.join(near, far, back);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket.setNoDelay(true));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

/** A relay before an app that listens: its clients are near, and the app is far. */
export class ServedRelay extends TcpRelay {
  static override async open(target: number): Promise<ServedRelay> {
    const relay = new ServedRelay(target);
    await relay.listen();
    return relay;
  }

  protected override join(near: Socket, far: Socket, back: (bytes: Buffer) => void): void {
    const ahead = (bytes: Buffer): void => {
      if (far.writable) far.write(bytes);
    };
    far.on('data', (bytes) => this.request(bytes, back, ahead));
    near.on('data', (bytes) => this.answer(bytes, ahead));
  }
}

export class UdpRelay extends Relay {
  #socket: DatagramSocket | undefined;
  /** The socket on the far side of each peer, by the peer's port. */
  readonly #far = new Map<number, DatagramSocket>();

  static async open(target: number): Promise<UdpRelay> {
    const relay = new UdpRelay(target);
    await relay.listen();
    return relay;
  }

  async listen(): Promise<void> {
    if (this.#socket !== undefined) return;
    const socket = createSocket('udp4', (bytes, { port }) => this.#serve(socket, bytes, port));
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.bind(this.port, host);
    await once(socket, 'listening');
    this.port = socket.address().port;
  }

  protected async close(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    const sockets = [socket, ...this.#far.values()];
    this.#far.clear();
    await Promise.all(sockets.map((one) => new Promise<void>((resolve) => one.close(resolve))));
  }

  protected pieces(datagram: Buffer): Buffer[] {
    return [datagram];
  }

  #serve(near: DatagramSocket, bytes: Buffer, port: number): void {
    const back = (answer: Buffer): void => {
      if (near === this.#socket) near.send(answer, port, host);
    };
    let far = this.#far.get(port);
    if (far === undefined) {
      this.connections++;
      far = createSocket('udp4', (answer) => this.answer(answer, back));
      far.on('error', () => undefined);
      this.#far.set(port, far);
    }
    const outlet = far;
    this.request(bytes, (more) => outlet.send(more, this.target, host), back);
  }
}

/** Random bytes, the same in every run. */
function noise(seed: number): Buffer {
  let state = seed + 1;
  return Buffer.from(
    Array.from({ length: 40 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    }),
  );
}
