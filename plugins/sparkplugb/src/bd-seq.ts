import { readFile, rm } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AppContext } from '@tagway/sdk';

// The promises of Node's own leave file handles to the garbage collector.
const [read, remove] = [promisify(readFile), promisify(rm)];

/**
 * The number that ties the death of a node to its birth: one more with every CONNECT, 0 after 255, also over restarts and over both gateways
 * of a pair. Before the gateway kept such numbers, the node kept its last one in a file of its folder.
 */
export class BdSeq {
  readonly #context: Pick<AppContext, 'dataDir' | 'sequence'>;
  readonly #file: string;

  constructor(context: Pick<AppContext, 'dataDir' | 'sequence'>) {
    this.#context = context;
    this.#file = join(context.dataDir, 'bd-seq');
  }

  /** The number of the next CONNECT. Rejects with a Fault when the gateway cannot keep it: it must not be used then. */
  async next(): Promise<number> {
    const text = await read(this.#file, 'utf8').catch(() => '');
    const least = /^\d{1,3}$/.test(text) ? (Number(text) % 256) + 1 : 0;
    const next = await this.#context.sequence('bdSeq', least);
    if (text !== '') await remove(this.#file, { force: true }).catch(() => undefined);
    return next % 256;
  }
}
