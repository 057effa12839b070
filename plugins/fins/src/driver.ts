import type { Call, Context, Driver, Point, Results, Values, Write } from '@tagway/sdk';
import { disconnected, Link, Requests, tcpClient } from '@tagway/sdk/link';
import { WordReader, writeAll } from '@tagway/words';
import { FinsMemory } from './memory.ts';
import type { Nodes } from './protocol.ts';
import { FinsSession } from './session.ts';
import type { Settings } from './settings.ts';

/** One run of a FINS node. */
export class FinsDriver implements Driver {
  readonly #context: Context<Settings>;
  readonly #link: Link<Nodes>;
  readonly #memory: FinsMemory;
  readonly #reader: WordReader;

  constructor(context: Context<Settings>) {
    const { host, port, timeout, max_words, local_node, ...target } = context.settings;
    const session = new FinsSession(local_node, {
      replied: (sid, frame) => requests.settle(sid, frame),
      broken: (reason) => link.lose(reason),
    });
    const link = new Link(context, tcpClient({ host, port }, { timeout }), session, { timeout });
    // PLCs queue little, so one request is on its way at a time; its service id tells late replies from others.
    const requests = new Requests<Buffer>(link, { timeout, ids: { first: 1, last: 255 } });
    this.#context = context;
    this.#link = link;
    this.#memory = new FinsMemory(link, requests, { target, mostWords: max_words });
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
    // One call at a time writes to a PLC, whichever node makes it: half of a word may be read, changed and written.
    const write = (): Promise<void> => writeAll(writes, into, this.#memory, signal);
    await this.#context.exclusive(`${host}:${port}`, write, signal);
  }
}
