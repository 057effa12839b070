import type { Call, Context, Driver, Point, Results, Values, Write } from '@tagway/sdk';
import { disconnected, type Link } from '@tagway/sdk/link';
import { WordReader } from './read.ts';
import { writeAll, type WritableMemory } from './write.ts';

/** One run of a node of a PLC with 16-bit words: what is the same whatever the protocol. */
export class WordDriver<Session> implements Driver {
  readonly #context: Context<{ readonly host: string; readonly port: number }>;
  readonly #link: Link<Session>;
  readonly #memory: WritableMemory;
  readonly #reader: WordReader;

  constructor(
    context: Context<{ readonly host: string; readonly port: number }>,
    link: Link<Session>,
    memory: WritableMemory,
  ) {
    this.#context = context;
    this.#link = link;
    this.#memory = memory;
    this.#reader = new WordReader(context, link, memory);
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
