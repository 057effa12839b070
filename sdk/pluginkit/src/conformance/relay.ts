import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What happens to the bytes on their way: `pass`; `silent` swallows what is asked; `slow` lets answers through late and in pieces;
 * `held` keeps answers back until `release` is called; `garbage` answers with noise; `dying` makes the device disappear at the next request, until `appear` is called.
 */
export type Weather = 'pass' | 'silent' | 'slow' | 'held' | 'garbage' | 'dying';

const host = '127.0.0.1';
/** Milliseconds by which `slow` delays an answer. */
export const delay = 150;

/** Stands between a driver or an app and the device or server it talks to, and makes the way between them bad. */
export abstract class Relay implements AsyncDisposable {
  weather: Weather = 'pass';
  /** Bytes that came from the plugin. */
  asked = 0;
  /** Connections, or peers, so far. */
  connections = 0;
  port = 0;
  /** Connections that the plugin holds at present; always 0 where there are none, as with UDP. */
  open = 0;
  protected readonly target: number;
  #record: Buffer[] | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  #held: (() => void)[] = [];
  /** Pieces under way on a slow way, which arrive in this order. */
  #late: (() => void)[] = [];

  protected constructor(target: number) {
    this.target = target;
  }

  /** Begins to keep what comes from the plugin, in the list that it returns. */
  record(): readonly Buffer[] {
    return (this.#record = []);
  }

  /** Lets the answers through that were held, late as they are. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const pass of held) pass();
  }

  /** Listens, again where it listened before. */
  abstract appear(): Promise<void>;

  /** Ends every connection and no longer listens: the device has lost its power. */
  async vanish(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#held = [];
    this.#late = [];
    await this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.vanish();
  }

  protected abstract close(): Promise<void>;

  /** What a slow way makes of one answer. */
  protected abstract pieces(bytes: Buffer): Buffer[];

  protected request(bytes: Buffer, forward: (bytes: Buffer) => void, back: (bytes: Buffer) => void): void {
    this.asked += bytes.length;
    this.#record?.push(bytes);
    if (this.weather === 'pass' || this.weather === 'slow' || this.weather === 'held') forward(bytes);
    else if (this.weather === 'garbage') back(noise(this.asked));
    else if (this.weather === 'dying') {
      this.weather = 'pass';
      void this.vanish();
    }
  }

  protected answer(bytes: Buffer, back: (bytes: Buffer) => void): void {
    if (this.weather === 'pass') back(bytes);
    if (this.weather === 'held') this.#held.push(() => back(bytes));
    if (this.weather !== 'slow') return;
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
    await relay.appear();
    return relay;
  }

  async appear(): Promise<void> {
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

  #serve(near: Socket): void {
    this.connections++;
    this.open++;
    near.on('close', () => this.open--);
    const far = connect(this.target, host);
    const back = (bytes: Buffer): void => {
      if (near.writable) near.write(bytes);
    };
    near.on('data', (bytes) => this.request(bytes, (more) => far.write(more), back));
    far.on('data', (bytes) => this.answer(bytes, back));
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

export class UdpRelay extends Relay {
  #socket: DatagramSocket | undefined;
  /** The socket on the far side of each peer, by the peer's port. */
  readonly #far = new Map<number, DatagramSocket>();

  static async open(target: number): Promise<UdpRelay> {
    const relay = new UdpRelay(target);
    await relay.appear();
    return relay;
  }

  async appear(): Promise<void> {
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

/** Bytes that mean nothing, the same in every run. */
function noise(seed: number): Buffer {
  let state = seed + 1;
  return Buffer.from(
    Array.from({ length: 40 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    }),
  );
}
