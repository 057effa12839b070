import { createServer, type Server, type Socket } from 'node:net';
import type { TlsOptions as NodeTlsOptions, TLSSocket } from 'node:tls';
import { ErrorCode } from '@tagway/schemas';
import type { Context } from '../context.ts';
import { Fault } from '../fault.ts';
import { AcceptedSocket, type AcceptedBounds, peerOf } from './accepted-socket.ts';
import type { AddressList } from './address-list.ts';
import type { Endpoint } from './dialer.ts';
import { bindProblem } from './failure.ts';
import { endSocket, tuneSocket, type SocketTuning } from './socket.ts';
import { nameOf } from './tcp-client.ts';
import type { ConnectedClient } from '../peers.ts';
import type { Transport } from './transport.ts';

/** The certificate of a listener, and those of the other side that it takes. */
export interface ListenerTls {
  /** PEM. */
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly passphrase?: string;
  /** PEM files of authorities: who connects must show a certificate that descends from one of them. Absent: nobody has to show any. */
  readonly clientCa?: string | Buffer;
}

export interface ListenOptions extends SocketTuning, AcceptedBounds {
  readonly tls?: ListenerTls;
  /** Addresses and networks from which connections are taken; absent: all. */
  readonly allowed?: AddressList;
  /** Most connections at a time; absent: any number. */
  readonly mostConnections?: number;
  /** A connection was not taken. `reason` is a sentence; it may come very often. `address` is that of the other side, if it is known. */
  readonly refused?: (reason: string, address: string) => void;
  /** Where the metrics `connections` and `refused_connections_total` are kept: the context of the node. */
  readonly meters?: Pick<Context, 'count' | 'gauge'>;
}

/** Who has connected. */
export interface Connected {
  readonly address: string;
  readonly port: number;
  /** The common name in the certificate that it has shown, if it had to show one. */
  readonly name?: string;
}

/** Listens until it is disposed of. */
export interface Listener extends AsyncDisposable {
  /** The port, also when 0 was asked for. */
  readonly port: number;
  /** Who is connected now, the one that came first first: for the list of clients of a node whose protocol knows no more of them. */
  clients(): readonly ConnectedClient[];
}

/** Milliseconds that the handshake of TLS may take. */
const handshakeTime = 10_000;

/** Connections in the handshake of TLS count as well; of these there may be some more than of the others. */
const mostHandshakes = 32;

/**
 * Listens for many others, devices or clients: every connection is a transport of its own, and is not made again when it is lost. Who
 * connected is identified by `who`, or identifies itself, for example in the protocol's handshake. `onPeer` opens the transport, or the link above it, at once.
 * Rejects with a fault when it cannot listen.
 */
export async function listenTcp(
  endpoint: Endpoint,
  onPeer: (transport: Transport, peer: string, who: Connected) => void,
  options: ListenOptions = {},
): Promise<Listener> {
  const { allowed, meters, mostConnections = Infinity, tls } = options;
  /** Raw connections, those in the handshake of TLS included. */
  const open = new Set<Socket>();
  const clients = new Set<ConnectedClient>();
  const refused = (reason: string, address = ''): void => {
    meters?.count('refused_connections_total', 1);
    options.refused?.(reason, plainAddress(address));
  };
  const isTaken = (socket: Socket): boolean => {
    const { remoteAddress = '' } = socket;
    const isAllowed = allowed === undefined || allowed.has(remoteAddress);
    const isFull = clients.size >= mostConnections || open.size >= mostConnections + mostHandshakes;
    if (isAllowed && !isFull) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return true;
    }
    refused(
      isAllowed
        ? `The connection of ${peerOf(socket)} was refused: there are ${clients.size} connections, and no more are taken.`
        : `The connection of ${peerOf(socket)} was refused: its address is not among those that are allowed.`,
      remoteAddress,
    );
    socket.on('error', () => undefined);
    socket.destroy();
    return false;
  };
  const serve = (socket: Socket): void => {
    tuneSocket(socket, options);
    const { remoteAddress: address = '', remotePort: port = 0 } = socket;
    const name = nameIn(socket);
    const who = { address: plainAddress(address), port, ...(name !== undefined && { name }) };
    const client = clientOf(who, tls !== undefined);
    clients.add(client);
    meters?.gauge('connections', clients.size);
    socket.once('close', () => {
      clients.delete(client);
      meters?.gauge('connections', clients.size);
    });
    onPeer(new AcceptedSocket(socket, options), peerOf(socket), who);
  };
  const server =
    tls === undefined
      ? createServer((socket) => {
          if (isTaken(socket)) serve(socket);
        })
      : secureServer(tls, isTaken, serve, refused);
  await bind(server, endpoint);
  server.on('error', () => undefined);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : endpoint.port,
    clients: () => [...clients],
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all([...open].map((socket) => endSocket(socket)));
      await closed;
    },
  };
}

/** Binds a server. Rejects with a fault that says why it cannot listen. */
export async function bind(server: Server, endpoint: Endpoint): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const why = `The node cannot listen on ${nameOf(endpoint)}: ${bindProblem(error, 'port')}.`;
      reject(new Fault(ErrorCode.DISCONNECTED, why, { cause: error }));
    });
    server.listen(endpoint.port, endpoint.host, resolve);
  });
  server.removeAllListeners('error');
}

function secureServer(
  { cert, key, passphrase, clientCa }: ListenerTls,
  isTaken: (socket: Socket) => boolean,
  serve: (socket: TLSSocket) => void,
  refused: (reason: string, address?: string) => void,
): Server {
  // Loaded only when it is needed: nodes without TLS do not need it.
  const { createServer: createSecureServer } = process.getBuiltinModule('node:tls');
  const options: NodeTlsOptions = {
    cert,
    key,
    handshakeTimeout: handshakeTime,
    ...(passphrase !== undefined && { passphrase }),
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  };
  const server = createSecureServer(options, serve);
  // The server's own listener begins the handshake on the connection, and a socket that is gone has none.
  server.prependListener('connection', (socket: Socket) => void isTaken(socket));
  server.on('tlsClientError', (error, socket) =>
    refused(
      `The connection of ${socket.remoteAddress ?? 'an unknown address'} was refused: TLS failed with ${error.message.trim()}.`,
      socket.remoteAddress,
    ),
  );
  return server;
}

/** A client as people see it. */
function clientOf({ address, name, port }: Connected, isSecure: boolean): ConnectedClient {
  const place = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return {
    name: name ?? place,
    address: place,
    since: Date.now(),
    ...(name !== undefined && { user: name }),
    ...(isSecure && { security: 'TLS' }),
  };
}

function nameIn(socket: Socket): string | undefined {
  if (!('getPeerCertificate' in socket)) return undefined;
  const { subject } = (socket as TLSSocket).getPeerCertificate() as { subject?: { CN?: string | string[] } };
  const name = subject?.CN;
  return Array.isArray(name) ? name[0] : name;
}

/** An IPv4 address that came to a socket of IPv6 is written as one of IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
