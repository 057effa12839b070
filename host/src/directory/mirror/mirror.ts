import { createHash, createPublicKey, verify } from 'node:crypto';
import { archiveLimits, ErrorCode, type Registry } from '@tagway/schemas';
import { mirrorFormat, mirrorIndexFile } from '../../core/directory/mirror-format.ts';
import type { Found, PackageFacts } from '../../core/ports/registries.ts';
import { Refusal, sentence, type Sentence } from '../../core/system/sentence.ts';
import { isObject, isText } from '../../core/system/shapes.ts';
import { download } from '../download.ts';
import { factsIn, lineOf } from '../facts.ts';
import { folderOf } from './mirror-address.ts';
import { readInFolder } from './mirror-folder.ts';
import type { Source } from '../source.ts';

/** Bytes of an index, as of what a registry knows of a package. */
const mostIndex = 32 << 20;
const mostSignature = 10_000;
/** The path of an archive: below the folder, without anything that a server or a disk could read in another way. */
const plainPath = /^(?!.*(?:^|\/)\.)[A-Za-z0-9@._~-]+(?:\/[A-Za-z0-9@._~-]+)*$/;

type Thing = Readonly<Record<string, unknown>>;

/**
 * What `tagway plugin mirror` has put into a folder. Its own keys and its trust root hold when one of the keys that the gateway trusts has
 * signed its index. Rejects with a fault for an index that cannot be used, or was altered after it was signed.
 */
export async function mirrorSource(
  asked: Registry,
  trusted: readonly string[],
  signal: AbortSignal,
): Promise<Source> {
  const text = await readInFolder(asked, mirrorIndexFile, mostIndex, signal);
  if (text === undefined)
    throw new Refusal(
      ErrorCode.REGISTRY_UNREACHABLE,
      sentence`There is no mirror at ${asked.url}: its folder has no ${mirrorIndexFile}, which tagway plugin mirror writes.`,
    );
  const signature = await readInFolder(asked, `${mirrorIndexFile}.sig`, mostSignature, signal);
  const isTrusted = signature !== undefined && isSigned(asked, text, signature, trusted);
  const index = parsed(text);
  if (!isObject(index) || index['format'] !== mirrorFormat || !isObject(index['packages']))
    throw invalid(asked, sentence`has an index that is none of the form "${mirrorFormat}"`);
  const packages = index['packages'];
  const registry = isTrusted ? withTrust(asked, index) : asked;
  const versionOf = (name: string, version: string): unknown => {
    const one = Object.hasOwn(packages, name) ? packages[name] : undefined;
    const versions = isObject(one) && isObject(one['versions']) ? one['versions'] : {};
    return Object.hasOwn(versions, version) ? versions[version] : undefined;
  };
  return {
    registry,
    search: (words, most) => Promise.resolve(found(packages, words, most)),
    facts: (name) => Promise.resolve(factsOf(registry, packages, name)),
    attestations: ({ name, version }) => {
      const one = versionOf(name, version);
      return Promise.resolve(isObject(one) ? one['attestations'] : undefined);
    },
    archive: async (version, progress) => {
      if (!folderOf(registry).startsWith('file:')) return download(registry, version, progress, signal);
      const path = version.archive.slice(folderOf(registry).length);
      const content = await readInFolder(registry, path, archiveLimits.packed, signal);
      if (content !== undefined) return content;
      throw new Refusal(
        ErrorCode.PACKAGE_NOT_FOUND,
        sentence`The mirror ${registry.url} names the version, and does not have its archive.`,
      );
    },
  };
}

function factsOf(registry: Registry, packages: Thing, name: string): PackageFacts {
  const one = Object.hasOwn(packages, name) ? packages[name] : undefined;
  if (!isObject(one))
    throw new Refusal(
      ErrorCode.PACKAGE_NOT_FOUND,
      sentence`The mirror ${registry.url} has no package ${name}. Names are asked of this mirror alone.`,
    );
  const versions = isObject(one['versions']) ? one['versions'] : {};
  return factsIn(registry, name, {
    name,
    time: one['time'],
    versions: Object.fromEntries(
      Object.entries(versions).map(([version, value]) => [version, withAddress(registry, value)]),
    ),
  });
}

/** The index has the paths of archives below its folder. */
function withAddress(registry: Registry, version: unknown): unknown {
  if (!isObject(version) || !isObject(version['dist'])) return version;
  const { tarball } = version['dist'];
  if (!isText(tarball) || !plainPath.test(tarball))
    throw invalid(registry, sentence`names an archive that is no file within its folder`);
  return { ...version, dist: { ...version['dist'], tarball: `${folderOf(registry)}${tarball}` } };
}

function found(packages: Thing, words: string, most: number): Found {
  const wanted = words.toLowerCase().split(/\s+/);
  const all = Object.entries(packages).flatMap(([name, one]) => {
    const versions = isObject(one) && isObject(one['versions']) ? Object.entries(one['versions']) : [];
    const [version = '', last] = versions.at(-1) ?? [];
    const description = isObject(last) ? (lineOf(last['description'], 300) ?? '') : '';
    const text = `${name} ${description} ${JSON.stringify(isObject(last) ? (last['keywords'] ?? '') : '')}`;
    return wanted.every((word) => text.toLowerCase().includes(word)) ? [{ name, version, description }] : [];
  });
  return { packages: all.slice(0, most), isCut: all.length > most };
}

/** Those that an admin has set at the mirror go before its own. */
function withTrust(registry: Registry, index: Thing): Registry {
  const { keys: own, trust_root: root } = index;
  const keys = Array.isArray(own) ? own.slice(0, 20).filter((one) => isText(one) && isKey(one)) : [];
  return {
    ...registry,
    ...(registry.keys === undefined && keys.length > 0 && { keys: keys as string[] }),
    ...(registry.trust_root === undefined && isObject(root) && { trust_root: JSON.stringify(root) }),
  };
}

function isKey(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyType === 'ec';
  } catch {
    return false;
  }
}

/** Whether a trusted key has signed the index. Throws PACKAGE_UNTRUSTED when it has signed another one. */
function isSigned(registry: Registry, text: Buffer, signature: Buffer, trusted: readonly string[]): boolean {
  const record = parsed(signature);
  if (!isObject(record) || !isText(record['key']) || !isText(record['signature'])) return false;
  const pem = trusted.find((one) => keyName(one) === record['key']);
  if (pem === undefined) return false;
  if (verify(null, text, pem, Buffer.from(record['signature'], 'base64'))) return true;
  throw new Refusal(
    ErrorCode.PACKAGE_UNTRUSTED,
    sentence`The index of the mirror ${registry.url} was altered after it was signed. Nothing of it is used.`,
  );
}

/** As in the signatures of packages: the SHA-256 of the public key. */
function keyName(pem: string): string {
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`;
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

function invalid({ url }: Registry, what: Sentence): Refusal {
  return new Refusal(ErrorCode.REGISTRY_REPLY_INVALID, sentence`The mirror ${url} ${what}.`);
}
