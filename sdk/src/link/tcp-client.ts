import { connect, isIP, Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { LinkStep } from '../context.ts';
import { Dialled } from './dialled.ts';
import type { Endpoint } from './dialer.ts';
import { failureOf, type Failure } from './failure.ts';
import { maySend, sendRefusal } from '../send-gate.ts';
import { endSocket, tuneSocket, writeTo, type SocketTuning } from './socket.ts';
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

  constructor(endpoints: Endpoint | readonly Endpoint[], options: TcpClientOptions) {
    super(endpoints);
    this.#options = options;
  }

  send(bytes: Buffer): void {
    if (this.#socket !== undefined) writeTo(this.#socket, bytes);
  }

  drop(failure: Failure): void {
    if (this.#socket !== undefined) this.#lost(this.#socket, failure);
  }

  protected async disconnect(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket?.connecting === true) socket.destroy();
    if (socket !== undefined) await endSocket(socket);
  }

  protected dial(endpoint: Endpoint): void {
    const { timeout = 3000, tls } = this.#options;
    const target = nameOf(endpoint);
    let step: LinkStep = isIP(endpoint.host) === 0 ? 'resolve' : 'connect';
    const socket = maySend() ? this.#connect(endpoint) : new Socket().destroy(sendRefusal());
    this.#socket = socket;
    const late = setTimeout(() => this.#lost(socket, lateFailure(target, step, timeout)), timeout);
    socket.once('lookup', () => (step = 'connect'));
    socket.once('connect', () => {
      step = tls === undefined ? 'connect' : 'handshake';
      tuneSocket(socket, this.#options);
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
    const { tls } = this.#options;
    const take = (data: Buffer, size: number): void => {
      if (socket === this.#socket) this.events?.received(data, size);
    };
    const socket: Socket =
      tls === undefined
        ? connect({
            host,
            port,
            onread: {
              buffer: this.#buffer,
              callback: (size) => {
                take(this.#buffer, size);
                return true;
              },
            },
          })
        : process
            .getBuiltinModule('node:tls')
            .connect({ host, port, ...tls })
            .on('data', (data: Buffer) => take(data, data.length));
    return socket;
  }

  #lost(socket: Socket, failure: Failure): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
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
