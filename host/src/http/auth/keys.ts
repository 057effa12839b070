import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writePrivateFile } from '../../core/access/private-file.ts';
import { isDiskFull, systemReason } from '../../core/system/system-error.ts';

/** The key pair that signs and checks tokens. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const generate = promisify(generateKeyPair);

/**
 * The RSA key pair of this folder; it is made when the folder has none. Only the gateway's own user may read it. A disk that is full
 * keeps no new key; `warn` is called with a sentence then.
 */
export async function loadKeys(
  folder: string,
  warn: (sentence: string) => void = () => undefined,
): Promise<KeyPair> {
  const file = join(folder, 'token.pem');
  const pem = (await existing(file)) ?? (await make(file, warn));
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch (cause) {
    const advice = 'Delete it to get a new one at the next start; clients then have to log in again.';
    throw new Error(`The file ${file} does not hold a private key. ${advice}`, { cause });
  }
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

async function existing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function make(file: string, warn: (sentence: string) => void): Promise<string> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  try {
    await writePrivateFile(file, pem);
  } catch (cause) {
    if (!isDiskFull(cause))
      throw new Error(`The key of tokens cannot be kept in ${file}: ${systemReason(cause)}.`, { cause });
    warn(`The key of tokens cannot be kept in ${file}, because the disk is full: tokens end with this run.`);
  }
  return pem;
}
