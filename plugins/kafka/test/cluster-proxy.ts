import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { listenOn } from '@tagway/testkit';
import { tooLarge } from './produce.ts';
import { SaslBroker, type Users } from './sasl-broker.ts';

const produce = 0;
const unknownTopic = 3;

/** An address in an answer about the cluster: a host and, in four bytes, a port. */
function address(port: number): Buffer {
  const bytes = Buffer.from('127.0.0.1\0\0\0\0', 'latin1');
  bytes.writeInt32BE(port, bytes.length - 4);
  return bytes;
}

/** Sets the error of a topic in an answer about the cluster, which stands before its name, to that of a topic that does not exist. */
function hide(topic: string, answer: Buffer): void {
  const at = answer.indexOf(topic, 0, 'latin1');
  if (at >= 4) answer.writeInt16BE(unknownTopic, at - 4);
}

export interface WirePacket {
  readonly fromClient: boolean;
  readonly bytes: Buffer;
}

/**
 * A cluster behind a port of its own, with TLS if need be, at which the requests to store records are counted. Clients connect to where a cluster
 * says that its brokers are: this says its own port instead, or that which a client has at the end of its name.
 */
export class ClusterProxy implements AsyncDisposable {
  readonly port: number;
  /** Requests to store records so far. */
  taken = 0;
  /** What went over each connection. */
  readonly wires: WirePacket[][] = [];
  /** Where the cluster is: one that ended may be followed by another. */
  to: number;
  /** Longest request to store records; a longer one is refused as a cluster refuses a record that is too large. */
  longest = Infinity;
  /** A topic that answers about the cluster say is not there; what serves as a cluster here makes each topic that it is asked for. */
  missing: string | undefined;
  /** Those who may log in; undefined: nobody has to. */
  users: Users | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number, to: number) {
    this.#server = server;
    this.port = port;
    this.to = to;
    server.on('connection', (socket: Socket) => this.#keep(socket));
    server.on('tlsClientError', () => undefined);
  }

  static async start(to: number, tls?: TlsOptions): Promise<ClusterProxy> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const { port } = await listenOn(server);
    const proxy = new ClusterProxy(server, port, to);
    server.on(tls === undefined ? 'connection' : 'secureConnection', (near: Socket) => proxy.#serve(near));
    return proxy;
  }

  /** Ends all connections; clients have to log in again. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(near: Socket): void {
    const far = connect(this.to, '127.0.0.1');
    const real = address(this.to);
    const login = this.users && new SaslBroker(this.users);
    const wire: WirePacket[] = [];
    this.wires.push(wire);
    let shown = this.port;
    let rest = Buffer.alloc(0);
    near.on('data', (bytes: Buffer) => {
      shown = Number(/conformance-(\d+)/.exec(bytes.toString('latin1'))?.[1] ?? shown);
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 6 && rest.length >= 4 + rest.readInt32BE(0)) {
        const frame = rest.subarray(0, 4 + rest.readInt32BE(0));
        if (frame.readInt16BE(4) === produce) this.taken++;
        wire.push({ fromClient: true, bytes: frame });
        rest = rest.subarray(frame.length);
        const own = frame.length > this.longest ? tooLarge(frame) : login?.answer(frame);
        if (own === undefined) far.write(frame);
        else if (own === 'refused') near.destroy();
        else near.write(own);
      }
    });
    far.on('data', (bytes: Buffer) => {
      for (let at = bytes.indexOf(real); at >= 0; at = bytes.indexOf(real, at + 1))
        address(shown).copy(bytes, at);
      if (this.missing !== undefined) hide(this.missing, bytes);
      wire.push({ fromClient: false, bytes });
      near.write(bytes);
    });
    this.#keep(near);
    this.#keep(far);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
