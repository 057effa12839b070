import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of a key of AES-256. */
const length = 32;

/** The key that seals the secrets of the data folder. */
export interface SecretsKey {
  readonly key: Buffer;
  /** What is odd about it, in a sentence for the log. */
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
  if (text === undefined) return { key: await make(folder, file) };
  const aside = `${file}.unusable`;
  await rename(file, aside);
  return {
    key: await make(folder, file),
    warning: `The file ${file} holds no key. It was put aside as ${aside}, and another key was made.`,
  };
}

/** The key in a file that the operator gives, for instance to several gateways. Rejects with a sentence when it is none. */
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
  return { key };
}

function keyOf(text: string): Buffer | undefined {
  const key = Buffer.from(text.trim(), 'base64');
  return key.length === length ? key : undefined;
}

async function make(folder: string, file: string): Promise<Buffer> {
  const key = randomBytes(length);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Written aside and renamed, so that a crash leaves either no key or a whole one.
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${key.toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  return key;
}
