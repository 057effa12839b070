import { connect, isIP, Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { LinkStep } from '../context.ts';
import { Dialled } from './dialled.ts';
import type { Endpoint } from './dialer.ts';
import { failureOf, type Failure } from './failure.ts';
import { maySend, sendRefusal } from '../send-gate.ts';
import { endSocket, guardSocket, tuneSocket, writeTo, type SocketTuning } from './socket.ts';
import type { Transport } from './transport.ts';

/** What a secure connection needs; the names are those of Node's `tls.connect`. */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'passphrase' | 'servername' | 'rejectUnauthorized' | 'minVersion' | 'maxVersion'
>;

export interface TcpClientOptions extends SocketTuning {
  /** Limit for one attempt to connect, TLS included, in milliseconds. Default 3 s. */
  readonly timeout?: number;
  /** Present: the connection is secured with TLS. */
  readonly tls?: TlsOptions;
}

/**
 * The gateway connects to the device over TCP: to the first endpoint, and when that cannot be reached or never answers, to the next
 * one in turn.
 */
export function tcpClient(
  endpoints: Endpoint | readonly Endpoint[],
  options: TcpClientOptions = {},
): Transport {
  return new TcpClient(endpoints, options);
}

/** Bytes taken from the socket at once; the buffer is used again and again. */
const readSize = 65_536;

class TcpClient extends Dialled {
  readonly datagrams = false;
  readonly #options: TcpClientOptions;
  readonly #buffer = Buffer.allocUnsafeSlow(readSize);
  #socket: Socket | undefined;
  /** The connection under a socket of TLS, or the socket itself. */
  #tcp: Socket | undefined;

  constructor(endpoints: Endpoint | readonly Endpoint[], options: TcpClientOptions) {
    super(endpoints);
    this.#options = options;
  }

  send(bytes: Buffer): void {
    if (this.#socket !== undefined) writeTo(this.#socket, bytes, this.#tcp);
  }

  drop(failure: Failure): void {
    if (this.#socket !== undefined) this.#lost(this.#socket, failure);
  }

  protected async disconnect(): Promise<void> {
    const socket = this.#socket;
    const tcp = this.#tcp;
    this.#socket = this.#tcp = undefined;
    if (tcp?.connecting === true) tcp.destroy();
    if (socket !== undefined) await endSocket(socket, tcp);
  }

  protected dial(endpoint: Endpoint): void {
    const { timeout = 3000, tls } = this.#options;
    const target = nameOf(endpoint);
    let step: LinkStep = isIP(endpoint.host) === 0 ? 'resolve' : 'connect';
    const tcp = maySend() ? this.#connect(endpoint) : new Socket().destroy(sendRefusal());
    const socket = tls === undefined ? tcp : this.#secured(tcp, { host: endpoint.host, tls });
    this.#socket = socket;
    this.#tcp = tcp;
    guardSocket(socket, tcp);
    const late = setTimeout(() => this.#lost(socket, lateFailure(target, step, timeout)), timeout);
    tcp.once('lookup', () => (step = 'connect'));
    tcp.once('connect', () => {
      step = tls === undefined ? 'connect' : 'handshake';
      tuneSocket(tcp, this.#options);
    });
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      clearTimeout(late);
      if (socket === this.#socket) this.events?.opened(target);
    });
    socket.on('error', (error) => this.#lost(socket, failureOf(target, error, step)));
    socket.once('close', () => {
      clearTimeout(late);
      this.#lost(socket, { kind: 'closed', step, reason: `${target} closed the connection` });
    });
    socket.resume();
  }

  #connect({ host, port }: Endpoint): Socket {
    if (this.#options.tls !== undefined) return connect({ host, port });
    const socket: Socket = connect({
      host,
      port,
      onread: {
        buffer: this.#buffer,
        callback: (size) => {
          if (socket === this.#socket) this.events?.received(this.#buffer, size);
          return true;
        },
      },
    });
    return socket;
  }

  /** A socket of TLS cannot be reset, but the connection under it can. */
  #secured(tcp: Socket, { host, tls }: { readonly host: string; readonly tls: TlsOptions }): Socket {
    const socket: Socket = process
      .getBuiltinModule('node:tls')
      .connect({ ...tls, host, socket: tcp })
      .on('data', (data: Buffer) => {
        if (socket === this.#socket) this.events?.received(data, data.length);
      });
    tcp.on('error', (error) => socket.destroy(error));
    return socket;
  }

  #lost(socket: Socket, failure: Failure): void {
    if (socket !== this.#socket) return;
    this.#tcp?.destroy();
    this.#socket = this.#tcp = undefined;
    socket.destroy();
    this.closed(failure);
  }
}

/** An endpoint as people write it. */
export function nameOf({ host, port }: Endpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function lateFailure(target: string, step: LinkStep, timeout: number): Failure {
  const reason =
    step === 'resolve'
      ? `the name of ${target} was not resolved within ${timeout} ms`
      : step === 'connect'
        ? `${target} did not accept a connection within ${timeout} ms`
        : `${target} did not agree on TLS within ${timeout} ms`;
  return { kind: 'timeout', step, reason };
}
