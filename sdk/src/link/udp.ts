import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns';
import { maySend, sendRefusal, whenShut } from '../send-gate.ts';
import { Dialled } from './dialled.ts';
import type { Endpoint } from './dialer.ts';
import { bindProblem, failureOf, type Failure } from './failure.ts';
import { nameOf } from './tcp-client.ts';
import type { Transport } from './transport.ts';

export interface UdpOptions {
  /** The local port to send from, for devices that answer to a fixed one. Default: any free port. */
  readonly localPort?: number;
  readonly localHost?: string;
  /** The setting that holds the local port, which is named when another program has it. Default `local_port`. */
  readonly setting?: string;
}

/** Datagrams to the device and back. Datagrams of other senders are dropped: by the kernel, as the socket is connected, and once more here. */
export function udp(endpoints: Endpoint | readonly Endpoint[], options: UdpOptions = {}): Transport {
  return new Udp(endpoints, options);
}

class Udp extends Dialled {
  readonly datagrams = true;
  readonly #options: UdpOptions;
  #socket: Socket | undefined;
  #attempt = 0;

  constructor(endpoints: Endpoint | readonly Endpoint[], options: UdpOptions) {
    super(endpoints);
    this.#options = options;
  }

  send(bytes: Buffer): void {
    const attempt = this.#attempt;
    const sent = (error: Error | null): void => {
      if (error !== null) this.#lost(attempt, failureOf('the device', error));
    };
    if (maySend()) this.#socket?.send(bytes, sent);
    else process.nextTick(sent, sendRefusal());
  }

  drop(failure: Failure): void {
    if (this.#socket !== undefined) this.#lost(this.#attempt, failure);
  }

  protected async disconnect(): Promise<void> {
    this.#attempt++;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(resolve));
  }

  protected dial(endpoint: Endpoint): void {
    const attempt = ++this.#attempt;
    const target = nameOf(endpoint);
    lookup(endpoint.host, (error, address, family) => {
      if (attempt !== this.#attempt) return;
      if (error !== null) this.#lost(attempt, failureOf(target, error, 'resolve'));
      else this.#connect(attempt, target, { host: address, port: endpoint.port }, family === 6);
    });
  }

  #connect(attempt: number, target: string, { host, port }: Endpoint, isV6: boolean): void {
    const socket = createSocket(isV6 ? 'udp6' : 'udp4');
    this.#socket = socket;
    const shut = whenShut(() => this.#lost(attempt, failureOf(target, sendRefusal())));
    if (shut !== undefined) socket.once('close', () => shut[Symbol.dispose]());
    // The kernel reports here that no program listens on the port.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const { localPort = 0, setting = 'local_port' } = this.#options;
      const failure =
        error.syscall === 'bind' ? bindFailure(localPort, error, setting) : failureOf(target, error);
      this.#lost(attempt, failure);
    });
    socket.on('message', (data, from) => {
      if (attempt === this.#attempt && from.port === port && from.address === host)
        this.events?.received(data, data.length);
    });
    socket.bind({ port: this.#options.localPort ?? 0, address: this.#options.localHost }, () => {
      if (attempt !== this.#attempt) return;
      socket.connect(port, host, (error?: Error) => {
        if (attempt !== this.#attempt) return;
        if (error !== undefined) this.#lost(attempt, failureOf(target, error));
        else this.events?.opened(target);
      });
    });
  }

  #lost(attempt: number, failure: Failure): void {
    if (attempt !== this.#attempt) return;
    this.#attempt++;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.closed(failure);
  }
}

function bindFailure(port: number, error: NodeJS.ErrnoException, setting: string): Failure {
  const reason = `the local port ${port} cannot be used: ${bindProblem(error, setting)}`;
  return { kind: 'error', step: 'connect', reason };
}
