import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { LinkReport } from '@tagway/sdk';
import type { LinkState } from '@tagway/schemas';
import type { LinkContext } from '@tagway/sdk/link';
import { systemClock } from '../../src/internal/runner/clock.ts';

/** What a link has reported to its context. */
export interface Record {
  readonly links: { state: LinkState; report: LinkReport }[];
  readonly counts: Map<string, number>;
  readonly rtts: number[];
  readonly logs: string[];
  /** Pauses before it dialled again, in milliseconds. */
  readonly pauses: number[];
}

export function contextFor(): { context: LinkContext; record: Record } {
  const record: Record = { links: [], counts: new Map(), rtts: [], logs: [], pauses: [] };
  const log =
    (level: string) =>
    (message: string): void =>
      void record.logs.push(`${level} ${message}`);
  const context: LinkContext = {
    clock: {
      ...systemClock,
      sleep: (ms, signal) => {
        record.pauses.push(ms);
        return systemClock.sleep(ms, signal);
      },
    },
    log: {
      debug: log('debug'),
      info: log('info'),
      notice: log('notice'),
      warn: log('warn'),
      error: log('error'),
    },
    link: (state, report = {}) => void record.links.push({ state, report }),
    rtt: (ms) => void record.rtts.push(ms),
    count: (name, add) => void record.counts.set(name, (record.counts.get(name) ?? 0) + add),
  };
  return { context, record };
}

/** A frame of the tests' protocol: its length, an id, a text. */
export function frame(id: number, text: string): Buffer {
  return Buffer.from([2 + text.length, id, ...Buffer.from(text)]);
}

export interface Asked {
  readonly id: number;
  readonly text: string;
  send(bytes: Buffer): void;
}

/** A device that answers every frame with the same text in capitals, unless its script does otherwise. */
export class Device implements AsyncDisposable {
  script: (asked: Asked) => void = ({ id, text, send }) => send(frame(id, text.toUpperCase()));
  /** Called for each connection. */
  greet: (socket: Socket) => void = () => undefined;
  readonly asked: string[] = [];
  readonly sockets = new Set<Socket>();
  connections = 0;
  #server: Server | undefined;
  port = 0;

  async listen(port = 0): Promise<this> {
    const server = createServer((socket) => this.#serve(socket));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.cut();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    this.greet(socket);
    let kept = Buffer.alloc(0);
    socket.on('data', (data) => {
      kept = Buffer.concat([kept, data]);
      while (kept.length > 0 && kept.length >= kept[0]!) {
        const size = kept[0]!;
        // Such as what a client says that wants to speak TLS.
        if (size < 2) return socket.destroy();
        const text = kept.toString('latin1', 2, size);
        this.asked.push(text);
        const id = kept[1]!;
        kept = kept.subarray(size);
        this.script({ id, text, send: (bytes) => socket.write(bytes) });
      }
    });
  }
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  await using device = await new Device().listen();
  return device.port;
}
