import { createConnection, Socket } from 'node:net';
import type { Context, LinkStep } from '@tagway/sdk';
import { StatusCodes, type StatusCode } from 'node-opcua-client';
import { ClientTransportBase } from 'node-opcua-transport';

/** One attempt to open a session, and the connection that came of it. */
export interface Attempt {
  /** The step that is under way, or that failed. */
  step: LinkStep;
  /** Code of the socket's failure, such as ECONNREFUSED. */
  failure: string;
  /** Status of an ERR message (OPC 10000-6, 7.1.2.5), or of what the library refused to take. */
  status: StatusCode | undefined;
}

export function newAttempt(): Attempt {
  return { step: 'connect', failure: '', status: undefined };
}

/** Statuses by their numbers, for those that arrive as bytes. */
const byValue = new Map(
  Object.values(StatusCodes as unknown as Record<string, StatusCode>).map((status) => [status.value, status]),
);

/** See `Context`. */
type Gate = Pick<Context, 'maySend' | 'guard'>;

const refused = new Error('The gateway may not send to devices now.');

/**
 * The library's TCP transport with five differences: IPv6 addresses in URLs work, the reason of an ERR message is kept (the library
 * drops it), so is that of the library's own refusals, nothing is sent that `maySend` forbids, and what the server takes and what it
 * sends are not mixed up.
 */
export class Wire extends ClientTransportBase {
  readonly #attempt: Attempt;
  readonly #gate: Gate;

  constructor(attempt: Attempt, gate: Gate) {
    super();
    this.#attempt = attempt;
    this.#gate = gate;
    this.on('chunk', (chunk) => this.#look(chunk));
  }

  override connect(endpointUrl: string, callback: (error?: Error) => void): void {
    this.endpointUrl = endpointUrl;
    this.#attempt.step = 'connect';
    const { host, port } = placeOf(endpointUrl);
    const socket = this.#gate.maySend() ? createConnection({ host, port }) : new Socket().destroy(refused);
    this.#gate.guard(socket);
    // A socket that is gone has no remote address, of which the library's type does not know.
    this._install_socket(socket as Parameters<Wire['_install_socket']>[0]);
    const failed = (error: NodeJS.ErrnoException): void => {
      this.#attempt.failure = error.code ?? '';
      if (error.syscall === 'getaddrinfo') this.#attempt.step = 'resolve';
      callback(error);
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      socket.off('error', failed);
      this.#attempt.step = 'handshake';
      this._perform_HEL_ACK_transaction((error) => {
        if (error) {
          this.#attempt.status = (error as { statusCode?: StatusCode }).statusCode;
        } else {
          this._install_post_connect_error_handler(endpointUrl);
          this.emit('connect');
        }
        callback(error);
      });
    });
  }

  protected override _write_chunk(...args: Parameters<ClientTransportBase['_write_chunk']>): void {
    if (this.#gate.maySend()) super._write_chunk(...args);
    // What the kernel still holds must not leave either. Requests that wait for an answer fail with the end of the connection.
    else (this._socket as Socket | null)?.resetAndDestroy();
  }

  /** `receiveBufferSize` is the largest chunk that the server takes, `sendBufferSize` the largest that it sends (OPC 10000-6, 7.1.2.4). */
  override setLimits(ack: Parameters<ClientTransportBase['setLimits']>[0]): void {
    const { receiveBufferSize, sendBufferSize } = ack;
    // Chunks to the server have this size.
    if (this.parameters) this.parameters.sendBufferSize = Math.min(receiveBufferSize, sendBufferSize);
    super.setLimits({ ...ack, receiveBufferSize: Math.max(receiveBufferSize, sendBufferSize) });
  }

  override prematureTerminate(error: Error, status: StatusCode): void {
    this.#attempt.status ??= status;
    super.prematureTerminate(error, status);
  }

  #look(chunk: Buffer): void {
    if (chunk.length >= 12 && chunk.toString('latin1', 0, 3) === 'ERR')
      this.#attempt.status = byValue.get(chunk.readUInt32LE(8)) ?? StatusCodes.Bad;
  }
}

/** Host and port of an endpoint URL, the brackets of an IPv6 address taken off. Throws when it is no URL. */
export function placeOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url.replace(/^opc\.tcp:/i, 'http:'));
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? portOf(url) : Number(port) };
}

/** A URL with the port of HTTP shows none. */
function portOf(url: string): number {
  return /^[^/]+\/\/[^/]*:0*80(?:\/|$)/.test(url) ? 80 : 4840;
}
