import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../core/access/private-file.ts';

/** Bytes of a key of AES-256. */
const length = 32;

/** The key that seals the secrets of the data folder. */
export interface SecretsKey {
  readonly key: Buffer;
  /** A sentence for the log, if the key had to be made anew, or others could read it. */
  readonly warning?: string;
}

/**
 * The key of this folder, as base64 in `secrets.key`, which is made when it is not there; only the gateway's own user may read it. A file
 * that holds no key is put aside: the secrets that it sealed cannot be opened, and the gateway runs all the same.
 */
export async function loadSecretsKey(folder: string): Promise<SecretsKey> {
  const file = join(folder, 'secrets.key');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  const key = text === undefined ? undefined : keyOf(text);
  if (key !== undefined) return { key };
  if (text === undefined) return { key: await make(file) };
  const aside = `${file}.unusable`;
  await rename(file, aside);
  return {
    key: await make(file),
    warning: `The file ${file} holds no key. It was put aside as ${aside}, and another key was made.`,
  };
}

/** The key in a file of the operator, which several gateways may share. Rejects with a sentence when the file holds no key. */
export async function readSecretsKey(file: string): Promise<SecretsKey> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The file of --secrets-key cannot be read: ${reason}.`, { cause });
  });
  const key = keyOf(text);
  if (key === undefined)
    throw new Error(
      `The file ${file} of --secrets-key holds no key: ${length} bytes in base64. Make one with: openssl rand -base64 ${length}`,
    );
  const warning = await mended(file);
  return { key, ...(warning !== undefined && { warning }) };
}

/** `openssl rand > FILE` makes a file that everybody may read. Takes that right away, and says so. */
async function mended(file: string): Promise<string | undefined> {
  const { mode } = await stat(file);
  if (process.platform === 'win32' || (mode & 0o007) === 0) return undefined;
  const found = `The file ${file} of --secrets-key could be used by every user of this machine (mode ${(mode & 0o777).toString(8)})`;
  try {
    await chmod(file, mode & 0o770);
    return `${found}: that right is taken away. Who has read it can open the secrets of this gateway.`;
  } catch {
    return `${found}, and its mode cannot be changed here. Give it to the gateway's own user with mode 600.`;
  }
}

function keyOf(text: string): Buffer | undefined {
  const key = Buffer.from(text.trim(), 'base64');
  return key.length === length ? key : undefined;
}

/** Whether a file with this text holds a key. */
export function isSecretsKey(text: string): boolean {
  return keyOf(text) !== undefined;
}

async function make(file: string): Promise<Buffer> {
  const key = randomBytes(length);
  await writePrivateFile(file, `${key.toString('base64')}\n`);
  return key;
}
