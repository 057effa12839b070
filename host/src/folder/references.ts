import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderFiles } from './folder-files.ts';

const kinds = ['secret', 'file', 'env'] as const;

/** Stands in a file for a value that the file does not have. */
export interface Reference {
  readonly kind: (typeof kinds)[number];
  readonly name: string;
}

/** Environment variables that files may refer to: others are of the machine. */
const variables = /^TAGWAY_SECRET_[A-Z0-9_]+$/;
const secretNames = /^[^./\\\0][^/\\\0]{0,254}$/;

/** The reference that a value is; undefined for any other value. */
export function referenceOf(value: unknown): Reference | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [[kind, name] = [], ...more] = Object.entries(value) as [string, unknown][];
  const known = kinds.find((one) => one === kind);
  return known === undefined || typeof name !== 'string' || more.length > 0
    ? undefined
    : { kind: known, name };
}

/** A value that a reference leads to, in two forms: as a text, and as settings have files. */
export interface Referred {
  readonly text: string;
  readonly base64: string;
}

/** Where references lead. */
export class ReferenceSources {
  readonly #files: FolderFiles;
  readonly #secrets: string | undefined;
  readonly #environment: NodeJS.ProcessEnv;

  /** `secrets`: the folder with a file for each secret. */
  constructor(files: FolderFiles, secrets: string | undefined, environment: NodeJS.ProcessEnv) {
    this.#files = files;
    this.#secrets = secrets;
    this.#environment = environment;
  }

  /** What is wrong with the form of a reference; undefined for one that may be. */
  static problemOf({ kind, name }: Reference): string | undefined {
    if (kind === 'env' && !variables.test(name))
      return `the variable "${name}" may not be referred to; only those may whose names begin with TAGWAY_SECRET_`;
    if (kind === 'secret' && !secretNames.test(name))
      return `"${name}" is no name of a secret; it is that of a file, without a folder`;
    return undefined;
  }

  /** Undefined when there is nothing. Throws `FolderError` for a file that may not be read. */
  async find({ kind, name }: Reference): Promise<Referred | undefined> {
    if (kind === 'env') {
      const value = this.#environment[name];
      return value === undefined || value === '' ? undefined : referred(Buffer.from(value));
    }
    if (kind === 'file') {
      const content = await this.#files.read(name);
      return content && referred(content);
    }
    if (this.#secrets === undefined) return undefined;
    const content = await readFile(join(this.#secrets, name)).catch(() => undefined);
    return content && referred(content);
  }
}

/** Editors and `echo` end a file with a line break, which is no part of a password. */
function referred(content: Buffer): Referred {
  return { text: content.toString().replace(/\r?\n$/, ''), base64: content.toString('base64') };
}
