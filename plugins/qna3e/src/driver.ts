import type { Call, Context, Driver, Point, Results, Values, Write } from '@tagway/sdk';
import { disconnected, Link, Requests, tcpClient, udp, type Transport } from '@tagway/sdk/link';
import { WordReader, writeAll } from '@tagway/words';
import { Qna3eMemory } from './memory.ts';
import { routeBytes, timerOf } from './protocol.ts';
import { Qna3eSession, type Reply } from './session.ts';
import { TransportMode, type Settings } from './settings.ts';

/** One run of a 3E node. */
export class Qna3eDriver implements Driver {
  readonly #context: Context<Settings>;
  readonly #link: Link;
  readonly #memory: Qna3eMemory;
  readonly #reader: WordReader;

  constructor(context: Context<Settings>) {
    const { settings } = context;
    const { timeout } = settings;
    const route = routeBytes(settings);
    const session = new Qna3eSession(route, (reply) => requests.settle(0, reply));
    const link = new Link(context, transportOf(settings), session, { timeout });
    // Replies name no request: one is on its way at a time, and after a timeout the connection is dropped.
    const requests = new Requests<Reply>(link, { timeout });
    const options = { bases: settings, route, timer: timerOf(timeout) };
    this.#context = context;
    this.#link = link;
    this.#memory = new Qna3eMemory(link, requests, options);
    this.#reader = new WordReader(context, link, this.#memory);
  }

  start(): Promise<void> {
    return this.#link.open();
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.#link.close(signal);
  }

  read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    return this.#reader.read(points, into, call);
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    if (!this.#link.up) throw disconnected;
    const { host, port } = this.#context.settings;
    // One call at a time writes to a PLC, whichever node makes it: a word may be read, changed and written.
    const write = (): Promise<void> => writeAll(writes, into, this.#memory, signal);
    await this.#context.exclusive(`${host}:${port}`, write, signal);
  }
}

function transportOf({ transport_mode, host, port, timeout, local_port }: Settings): Transport {
  return transport_mode === TransportMode.UDP
    ? udp({ host, port }, { localPort: local_port })
    : tcpClient({ host, port }, { timeout });
}
