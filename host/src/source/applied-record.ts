import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AppliedSource } from '../core/ports/config-source.ts';
import { isNumber, isObject, isText, membersOf, optional } from '../core/system/shapes.ts';

/** What is remembered over a restart. */
export interface AppliedRecord extends AppliedSource {
  /** Where it came from, and with which variables: another source begins anew. */
  readonly of: string;
  /** The nodes that its files say are stopped. */
  readonly stopped: readonly string[];
}

const isRecord = membersOf<AppliedRecord>({
  of: isText,
  commit: isText,
  time: isNumber,
  committed: optional(isNumber),
  author: optional(isText),
  subject: optional(isText),
  stopped: (thing) => Array.isArray(thing) && thing.every(isText),
});

/** Undefined when there is none, or it cannot be read: what is there is then looked at as for the first time. */
export async function readApplied(file: string): Promise<AppliedRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isObject(record) && isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

export async function writeApplied(file: string, record: AppliedRecord): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(record));
  await rename(`${file}.new`, file);
}
