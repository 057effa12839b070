import { readFile, rename, writeFile } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

// The promises of Node's own leave file handles to the garbage collector.
const [read, write, move] = [promisify(readFile), promisify(writeFile), promisify(rename)];

/** The number that ties the death of a node to its birth: one more with every CONNECT, 0 after 255, also over restarts. */
export class BdSeq {
  readonly #file: string;
  #last: number;

  private constructor(file: string, last: number) {
    this.#file = file;
    this.#last = last;
  }

  /** Goes on where the last run in this folder ended. */
  static async open(folder: string): Promise<BdSeq> {
    const file = join(folder, 'bd-seq');
    const text = await read(file, 'utf8').catch(() => '');
    return new BdSeq(file, /^\d{1,3}$/.test(text) ? Number(text) % 256 : 255);
  }

  /** The number of the next CONNECT. It is in the file when this resolves: a killed process does not give it twice. */
  async next(): Promise<number> {
    this.#last = (this.#last + 1) % 256;
    await write(`${this.#file}.new`, String(this.#last));
    await move(`${this.#file}.new`, this.#file);
    return this.#last;
  }
}
