import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Role, roles } from '@tagway/schemas';
import { BoundedMap } from '../../core/system/bounded-map.ts';

/** Endings of a file that holds the public key of an issuer. */
const endings = ['.pem', '.pub'] as const;
/** Milliseconds after which a file is checked for changes again. */
const freshness = 1000;
/** Most bytes of a key file. */
const sizeMax = 65_536;
/** Most characters of an issuer's name. */
const nameMax = 128;
/** Keys that are kept; one that is forgotten is read again when it is needed. */
const keysKept = 100;

interface Kept {
  readonly key: KeyObject;
  readonly role: Role;
  readonly file: string;
  /** It differs when a file has changed. */
  readonly version: string;
  /** When the file was looked at. */
  at: number;
}

/**
 * The public keys of those who may issue tokens beside the gateway: the files of a folder, each named like its issuer and ending in
 * .pem or .pub. What their tokens may do is at most the role in the file of the same name that ends in .role, without one viewer. What
 * is added, changed or removed counts within a second.
 */
export class Issuers {
  readonly #folder: string;
  readonly #keys = new BoundedMap<string, Kept>(keysKept);

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The key of an issuer; undefined when there is none or it cannot be used. */
  async keyOf(issuer: string): Promise<KeyObject | undefined> {
    const kept = this.#keys.get(issuer);
    const now = performance.now();
    if (kept !== undefined && now - kept.at < freshness) return kept.key;
    if (!isFileName(issuer)) return undefined;
    const roleFile = join(this.#folder, `${issuer}.role`);
    for (const ending of endings) {
      const file = join(this.#folder, issuer + ending);
      const keyVersion = await versionOf(file);
      if (keyVersion === undefined) continue;
      const version = `${keyVersion} ${await versionOf(roleFile)}`;
      if (kept?.file === file && kept.version === version) {
        kept.at = now;
        return kept.key;
      }
      const key = await readKey(file);
      if (key === undefined) continue;
      this.#keys.set(issuer, { key, role: await readRole(roleFile), file, version, at: now });
      return key;
    }
    this.#keys.delete(issuer);
    return undefined;
  }

  /** What tokens of an issuer may do at most. */
  async roleOf(issuer: string): Promise<Role> {
    await this.keyOf(issuer);
    return this.#keys.get(issuer)?.role ?? 'viewer';
  }
}

/** The name comes from a token that is not verified yet: it must not lead out of the folder. */
function isFileName(name: string): boolean {
  return (
    name !== '' &&
    name.length <= nameMax &&
    !name.startsWith('.') &&
    !/[\\/\0]/.test(name) &&
    basename(name) === name
  );
}

async function versionOf(file: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(file);
    return size > sizeMax ? undefined : [ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return undefined;
  }
}

async function readKey(file: string): Promise<KeyObject | undefined> {
  try {
    const key = createPublicKey(await readFile(file));
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}

async function readRole(file: string): Promise<Role> {
  const text = (await versionOf(file)) === undefined ? '' : await readFile(file, 'utf8').catch(() => '');
  return roles.find((role) => role === text.trim()) ?? 'viewer';
}
