import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compare } from 'semver';
import { isFault } from '@tagway/sdk';
import type { MirrorWork } from '../config/config.ts';
import { mirrorFormat, mirrorIndexFile } from '../core/directory/mirror-format.ts';
import type { PackageCopy } from '../core/directory/package-copy.ts';
import type { Gateway } from '../core/gateway.ts';
import { isObject, isText } from '../core/system/shapes.ts';
import { systemReason } from '../core/system/system-error.ts';
import { CommandError } from './with-gateway.ts';

interface MirroredPackage {
  readonly registry: string;
  readonly time: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, object>>;
}

/** What is in the folder of a mirror; docs/plugins/publish.md describes it. */
interface Index {
  readonly format: string;
  readonly keys: readonly string[];
  readonly trust_root: unknown;
  readonly packages: Readonly<Record<string, MirroredPackage>>;
}

/** Copies packages into the folder of a mirror, beside what is in it, and writes its index last. Returns what is to be printed. Rejects with `CommandError`. */
export async function mirrorPackages(
  { directory }: Gateway,
  { folder, packages, key }: MirrorWork,
  prerelease: boolean,
): Promise<string> {
  const signer = key === undefined ? undefined : await readSigner(key);
  let index = await readIndex(folder);
  const lines: string[] = [];
  for (const { name, version } of packages) {
    const copy = await directory.copy(name, { version, prerelease }).catch((error: unknown) => {
      throw isFault(error) ? new CommandError(error.message, { cause: error }) : error;
    });
    await write(join(folder, archivePath(copy)), copy.content);
    index = withCopy(index, copy);
    lines.push(`${name}@${copy.version.version} is in ${folder}, from ${copy.registry}.`);
  }
  const text = Buffer.from(`${JSON.stringify(index, null, 1)}\n`);
  // A signature of the index before would say that this one was altered.
  await rm(join(folder, `${mirrorIndexFile}.sig`), { force: true });
  await write(join(folder, mirrorIndexFile), text);
  if (signer === undefined)
    return [
      ...lines,
      'The index is not signed: keys and trust root of the mirror count nowhere. With --key FILE they do.',
    ].join('\n');
  await write(
    join(folder, `${mirrorIndexFile}.sig`),
    Buffer.from(`${JSON.stringify(signatureOf(text, signer))}\n`),
  );
  return lines.join('\n');
}

function archivePath({ name, version }: PackageCopy): string {
  return `${name}/${version.version.replaceAll('+', '_')}.tgz`;
}

function withCopy(index: Index, copy: PackageCopy): Index {
  const { name, registry, version: one, attestations, keys, trustRoot } = copy;
  const known = Object.hasOwn(index.packages, name) ? index.packages[name] : undefined;
  const { version, time, publisher, author, license, repository, homepage, deprecated, plugin } = one;
  const entry = {
    name,
    version,
    description: one.description,
    keywords: ['tagway-plugin'],
    author,
    license,
    repository,
    homepage,
    deprecated,
    tagway: plugin,
    ...(publisher !== undefined && { _npmUser: { name: publisher } }),
    dist: {
      integrity: one.integrity,
      tarball: archivePath(copy),
      signatures: one.signatures,
      unpackedSize: one.size,
      ...(attestations.length > 0 && { attestations: {} }),
    },
    ...(attestations.length > 0 && { attestations }),
  };
  const versions = Object.entries({ ...known?.versions, [version]: entry }).sort(([a], [b]) => compare(a, b));
  const times = { ...known?.time, ...(time !== undefined && { [version]: new Date(time).toISOString() }) };
  return {
    format: mirrorFormat,
    keys: [...new Set([...index.keys, ...keys])],
    trust_root: JSON.parse(trustRoot) as unknown,
    packages: {
      ...index.packages,
      [name]: { registry, time: times, versions: Object.fromEntries(versions) },
    },
  };
}

async function readIndex(folder: string): Promise<Index> {
  const file = join(folder, mirrorIndexFile);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandError(`The file ${file} cannot be read: ${systemReason(cause)}.`, { cause });
  });
  if (text === undefined) return { format: mirrorFormat, keys: [], trust_root: {}, packages: {} };
  try {
    const index = JSON.parse(text) as Index;
    if (
      index.format === mirrorFormat &&
      isObject(index.packages) &&
      Array.isArray(index.keys) &&
      index.keys.every(isText)
    )
      return index;
  } catch {
    // What is wrong is said below.
  }
  throw new CommandError(
    `The file ${file} is no index of a mirror of the form "${mirrorFormat}". Name another folder.`,
  );
}

async function readSigner(file: string): Promise<KeyObject> {
  const pem = await readFile(file).catch((cause: unknown) => {
    throw new CommandError(`The key ${file} cannot be read: ${systemReason(cause)}.`, { cause });
  });
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // What is wrong is said below.
  }
  throw new CommandError(`The file ${file} holds no private key for Ed25519 in PEM.`);
}

function signatureOf(text: Buffer, signer: KeyObject): object {
  const der = createPublicKey(signer).export({ type: 'spki', format: 'der' });
  const name = createHash('sha256').update(der).digest('base64').replace(/=+$/, '');
  return {
    algorithm: 'ed25519',
    key: `SHA256:${name}`,
    signature: sign(null, text, signer).toString('base64'),
  };
}

/** Whole or not at all. */
async function write(path: string, content: Uint8Array): Promise<void> {
  const part = `${path}.part`;
  try {
    await mkdir(dirname(path), { recursive: true });
    {
      await using file = await open(part, 'w');
      await file.writeFile(content);
      await file.sync();
    }
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    throw new CommandError(`The file ${path} cannot be written: ${systemReason(cause)}.`, { cause });
  }
}
