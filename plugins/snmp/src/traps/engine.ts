import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '@tagway/sdk';
import type { Settings } from '../settings.ts';
import type { EngineMoment } from '../wire/usm.ts';

/** Those of node:fs/promises keep a handle of the file until the next collection of garbage. */
const read = promisify(readFile);
const write = promisify(writeFile);

/** An engine identifier of arbitrary bytes (RFC 3411, section 5), of no enterprise. */
const prefix = Buffer.from('8000000005', 'hex');

/** This side as an engine of version 3, which answers notifications that want an answer. */
export class LocalEngine implements EngineMoment {
  readonly id: Buffer;
  readonly boots: number;
  readonly #clock: Context['clock'];
  readonly #startedAt: number;

  constructor(id: Buffer, boots: number, clock: Context['clock']) {
    this.id = id;
    this.boots = boots;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  get time(): number {
    return Math.floor((this.#clock.monotonic() - this.#startedAt) / 1000);
  }

  /** The engine of a node: the same after every start of it, with one boot more. */
  static async of(context: Context<Settings>): Promise<LocalEngine> {
    const own = context.pairId ?? (await keptId(context.dataDir));
    const id = Buffer.concat([prefix, Buffer.from(own, 'hex')]);
    return new LocalEngine(id, await context.sequence('engine-boots'), context.clock);
  }
}

/** Sixteen digits that the node makes once. */
async function keptId(folder: string): Promise<string> {
  const file = join(folder, 'engine-id');
  const kept = await read(file, 'utf8').catch(() => '');
  if (/^[\da-f]{16}$/.test(kept)) return kept;
  const made = randomBytes(8).toString('hex');
  await write(file, made);
  return made;
}
