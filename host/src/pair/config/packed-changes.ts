import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { parseJson, stringifyJson } from '@tagway/sdk/json';
import { Pacer } from '../../core/system/pacer.ts';
import type { StoreChanges } from '../../core/ports/ports.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

export type Entry = readonly [key: string, record: unknown];

/** Changes in arrays, which can be read more than once. */
export interface Changes {
  readonly set: readonly Entry[];
  readonly delete: readonly string[];
}

/** Collects changes in arrays, in pieces. */
export async function collected({ set = [], delete: deleted = [] }: StoreChanges): Promise<Changes> {
  const changes: { set: Entry[]; delete: string[] } = { set: [], delete: [] };
  await inPieces(set, (entry) => changes.set.push(entry));
  await inPieces(deleted, (key) => changes.delete.push(key));
  return changes;
}

/** Does something with each item, in pieces between which the gateway does other things. */
async function inPieces<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  const pace = new Pacer();
  for (const item of items) {
    work(item);
    if (pace.isDue) await pace.rest();
  }
}

/**
 * Changes as they are kept in etcd: lines of JSON in gzip, made and read in pieces. The first line is a unique text,
 * then each record is `[key, record]`, and each that is deleted `[key]`.
 */
export async function packed(changes: Changes): Promise<Buffer> {
  const lines = [JSON.stringify(randomUUID())];
  await inPieces(changes.set, (entry) => lines.push(stringifyJson(entry)));
  await inPieces(changes.delete, (key) => lines.push(stringifyJson([key])));
  // Most of what the levels above 1 save is not worth their time: 10 000 tags are 90 kB, made in 20 ms.
  return compress(lines.join('\n'), { level: 1 });
}

export async function unpacked(bytes: Buffer): Promise<Changes> {
  const pace = new Pacer();
  const text = (await expand(bytes)).toString();
  const changes: { set: Entry[]; delete: string[] } = { set: [], delete: [] };
  for (let at = text.indexOf('\n'); at >= 0;) {
    const end = text.indexOf('\n', at + 1);
    const [key, ...record] = parseJson(text.slice(at + 1, end < 0 ? undefined : end)) as [string, unknown?];
    if (record.length === 0) changes.delete.push(key);
    else changes.set.push([key, record[0]]);
    if (pace.isDue) await pace.rest();
    at = end;
  }
  return changes;
}
