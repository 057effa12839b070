import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { ErrorCode, Fault, type Context } from '@tagway/sdk';
import type { Settings } from '../settings.ts';
import type { LocalEngine } from './engine.ts';

/** A node that hears notifications. */
export interface Hearer {
  readonly context: Context<Settings>;
  /** Whether datagrams from this address are for the node. */
  isFrom(address: string): boolean;
  /** Takes a datagram. True: no other node is to have it. */
  take(data: Buffer, from: RemoteInfo, port: TrapPort): boolean;
}

/** The ports that nodes of this process share, by address and port. */
const ports = new Map<string, Promise<TrapPort>>();
/** Senders that no node is for, and that are named in the log. */
const mostStrangers = 20;

/** A UDP port for notifications. A datagram goes to all nodes whose agent has the address that it came from. */
export class TrapPort {
  readonly #key: string;
  readonly #socket: Socket;
  readonly #hearers = new Set<Hearer>();
  readonly #strangers = new Set<string>();
  /** To whom notifications that want an answer are addressed; that of the node which opened the port. */
  readonly engine: LocalEngine;

  private constructor(key: string, socket: Socket, engine: LocalEngine) {
    this.#key = key;
    this.#socket = socket;
    this.engine = engine;
    socket.on('message', (data, from) => this.#receive(data, from));
    // What cannot be sent is asked for again by who waits for it.
    socket.on('error', () => undefined);
  }

  /** Opens the port, or shares it with the nodes that have it already. Rejects when another program has it. */
  static async join(hearer: Hearer, engine: () => Promise<LocalEngine>): Promise<TrapPort> {
    const { trap_host: host, trap_port: port } = hearer.context.settings;
    const key = `${host} ${port}`;
    let opening = ports.get(key);
    if (opening === undefined) {
      opening = TrapPort.#open(key, hearer.context.settings, engine);
      ports.set(key, opening);
      opening.catch(() => ports.delete(key));
    }
    const opened = await opening;
    opened.#hearers.add(hearer);
    return opened;
  }

  static async #open(
    key: string,
    settings: Readonly<Settings>,
    engine: () => Promise<LocalEngine>,
  ): Promise<TrapPort> {
    const { trap_host: host, trap_port: port } = settings;
    const own = await engine();
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', (error: NodeJS.ErrnoException) => {
        socket.close();
        reject(new Fault(ErrorCode.DISCONNECTED, bindSentence(host, port, error), { cause: error }));
      });
      socket.bind(port, host, resolve);
    });
    socket.removeAllListeners('error');
    return new TrapPort(key, socket, own);
  }

  /** Ends the sharing of one node; the last one closes the port. */
  async leave(hearer: Hearer): Promise<void> {
    if (!this.#hearers.delete(hearer) || this.#hearers.size > 0) return;
    ports.delete(this.#key);
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }

  /** Answers a notification. */
  send(bytes: Buffer, { address, port }: RemoteInfo, context: Pick<Context, 'maySend'>): void {
    if (context.maySend()) this.#socket.send(bytes, port, address, () => undefined);
  }

  #receive(data: Buffer, from: RemoteInfo): void {
    const address = from.address.replace(/^::ffff:/, '');
    let isKnown = false;
    for (const hearer of this.#hearers) {
      if (!hearer.isFrom(address)) continue;
      isKnown = true;
      if (hearer.take(data, from, this)) return;
    }
    if (!isKnown) this.#stranger(address);
  }

  #stranger(address: string): void {
    const [hearer] = this.#hearers;
    if (hearer === undefined) return;
    const { log, settings } = hearer.context;
    hearer.context.count('foreign_frames', 1);
    if (this.#strangers.has(address) || this.#strangers.size >= mostStrangers) return;
    this.#strangers.add(address);
    log.notice(
      `A datagram from ${address} came to the port ${settings.trap_port} for notifications, and no node has an agent with this address: it is dropped, as are all others from there.`,
    );
  }
}

function bindSentence(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  const causes: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program has it; stop that, or choose a free one in the setting trap_port',
    EACCES:
      'this user may not have ports below 1024, and the service of "tagway service install" may; without it choose a higher one in the setting trap_port, and have the agents send there',
    EADDRNOTAVAIL: 'this machine has no such address; check the setting trap_host',
  };
  return `The driver cannot hear notifications at ${host}, port ${port}: ${causes[code ?? ''] ?? message} (${code ?? 'error'}).`;
}
