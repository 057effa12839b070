import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { parseJson, stringifyJson } from '@tagway/sdk/json';
import { Pace } from '../core/pace.ts';
import type { StoreChanges } from '../core/ports.ts';

const [compress, expand] = [promisify(gzip), promisify(gunzip)];

export type Entry = readonly [key: string, record: unknown];

/** Changes that can be gone through more than once. */
export interface Changes {
  readonly set: readonly Entry[];
  readonly delete: readonly string[];
}

/** Goes through changes once, in pieces. */
export async function collected({ set = [], delete: deleted = [] }: StoreChanges): Promise<Changes> {
  const pace = new Pace();
  const changes: { set: Entry[]; delete: string[] } = { set: [], delete: [] };
  for (const entry of set) {
    changes.set.push(entry);
    if (pace.isDue) await pace.rest();
  }
  for (const key of deleted) {
    changes.delete.push(key);
    if (pace.isDue) await pace.rest();
  }
  return changes;
}

/**
 * Changes as they are kept in etcd: lines of JSON in gzip, made and read in pieces. The first line is a text that no other changes have,
 * then each record is `[key, record]`, and each that is deleted `[key]`.
 */
export async function packed(changes: Changes): Promise<Buffer> {
  const pace = new Pace();
  const lines = [JSON.stringify(randomUUID())];
  for (const entry of changes.set) {
    lines.push(stringifyJson(entry));
    if (pace.isDue) await pace.rest();
  }
  for (const key of changes.delete) {
    lines.push(stringifyJson([key]));
    if (pace.isDue) await pace.rest();
  }
  // Most of what the levels above 1 save is not worth their time: 10 000 tags are 90 kB, made in 20 ms.
  return compress(lines.join('\n'), { level: 1 });
}

export async function unpacked(bytes: Buffer): Promise<Changes> {
  const pace = new Pace();
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
