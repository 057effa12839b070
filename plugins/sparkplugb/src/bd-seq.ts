import { readFile, rm } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AppContext } from '@tagway/sdk';

// The functions of node:fs/promises leave file handles to the garbage collector.
const read = promisify(readFile);
const remove = promisify(rm);

/**
 * The number that connects the death of a node with its birth: one more with every CONNECT, 0 after 255, also over restarts and over both
 * gateways of a pair. Earlier releases kept the last number in a file of the node's folder.
 */
export class BdSeq {
  readonly #context: Pick<AppContext, 'dataDir' | 'sequence'>;
  readonly #file: string;

  constructor(context: Pick<AppContext, 'dataDir' | 'sequence'>) {
    this.#context = context;
    this.#file = join(context.dataDir, 'bd-seq');
  }

  /** The number of the next CONNECT. Rejects with a Fault when the gateway cannot store it; it must not be used then. */
  async next(): Promise<number> {
    const text = await read(this.#file, 'utf8').catch(() => '');
    const least = /^\d{1,3}$/.test(text) ? (Number(text) % 256) + 1 : 0;
    const next = await this.#context.sequence('bdSeq', least);
    if (text !== '') await remove(this.#file, { force: true }).catch(() => undefined);
    return next % 256;
  }
}
