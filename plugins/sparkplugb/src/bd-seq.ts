import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

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
    const text = await readFile(file, 'utf8').catch(() => '');
    return new BdSeq(file, /^\d{1,3}$/.test(text) ? Number(text) % 256 : 255);
  }

  /** The number of the next CONNECT. It is on the disk when this resolves, so that no other CONNECT gets it. */
  async next(): Promise<number> {
    this.#last = (this.#last + 1) % 256;
    const fresh = await open(`${this.#file}.new`, 'w');
    try {
      await fresh.writeFile(String(this.#last));
      await fresh.datasync();
    } finally {
      await fresh.close();
    }
    await rename(`${this.#file}.new`, this.#file);
    return this.#last;
  }
}
