import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode, type Registry } from '@tagway/schemas';
import { type Fetcher, Updater } from 'tuf-js';
import { DownloadHTTPError, DownloadLengthMismatchError } from 'tuf-js/dist/error.js';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import type { Numbered, RenewedFiles } from '../messages.ts';
import { ask } from '../request.ts';
import { npmKeys } from './registry-signature.ts';
import { defaultRepository, seedRoot, targetNames, versionOf } from './trust-files.ts';
import { trustIn } from './trust-root.ts';

/** Bytes of a file with which packages are verified. */
const mostTarget = 1 << 20;
/** Milliseconds for a renewal as a whole. */
const deadline = 120_000;
/** Bytes and numbers of what a repository may send: some ten times what that of sigstore has. */
const bounds = {
  maxRootRotations: 64,
  maxDelegations: 8,
  rootMaxLength: 1 << 19,
  timestampMaxLength: 1 << 14,
  snapshotMaxLength: 1 << 19,
  targetsMaxLength: 1 << 20,
};

type Question = Extract<Numbered, { readonly op: 'renew' }>;

/**
 * Asks a repository of keys for newer ones, by The Update Framework: from root to root as far as each vouches for the next one. What has expired,
 * is older than what was there, or is not signed as it has to be is refused. Rejects with a fault.
 */
export async function renew(question: Question, signal: AbortSignal): Promise<RenewedFiles> {
  const { root, folder, renewed } = question;
  const url = (question.registry.url || defaultRepository).replace(/\/+$/, '');
  const fetcher = new RegistryFetcher({ ...question.registry, url: `${url}/` }, folder, signal);
  const first = root || seedRoot;
  const last = renewed?.metadata['root.json'] ?? '';
  const begin = { ...renewed?.metadata, 'root.json': versionOf(last) > versionOf(first) ? last : first };
  const metadataDir = join(folder, 'metadata');
  await mkdir(metadataDir);
  for (const [name, text] of Object.entries(begin)) await writeFile(join(metadataDir, name), text);
  try {
    const updater = new Updater({
      metadataDir,
      metadataBaseUrl: url,
      targetBaseUrl: `${url}/targets`,
      fetcher,
      config: bounds,
    });
    await updater.refresh();
    const targets = await targetsOf(updater, join(folder, 'target'));
    return { metadata: await filesIn(metadataDir), targets };
  } catch (error) {
    throw refusalFor(url, fetcher.fault ?? error);
  }
}

async function targetsOf(updater: Updater, file: string): Promise<Record<string, string>> {
  const targets: Record<string, string> = {};
  for (const name of targetNames) {
    const info = await updater.getTargetInfo(name);
    if (info === undefined) continue;
    if (info.length > mostTarget) throw new DownloadLengthMismatchError(name);
    const text = await readFile(await updater.downloadTarget(info, file), 'utf8');
    // What this gateway does not understand does not take the place of what it does.
    if (!(name.endsWith('keys.json') ? npmKeys(text).size > 0 : isTrustRoot(text)))
      throw new Error('The target is empty.');
    targets[name] = text;
  }
  if (Object.keys(targets).length > 0) return targets;
  throw new Error('There is no target.');
}

/** Attestations need an authority and a log that vouch for them. */
function isTrustRoot(text: string): boolean {
  const { certificateAuthorities, tlogs } = trustIn(text);
  return certificateAuthorities.length > 0 && tlogs.length > 0;
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of await readdir(folder)) files[name] = await readFile(join(folder, name), 'utf8');
  return files;
}

/** Asks as registries are asked: with their deadlines, and by the same rules for redirects and addresses. */
class RegistryFetcher implements Fetcher {
  /** Why it could not fetch the last file, which the library hides in a text. */
  fault: Refusal | undefined;
  readonly #registry: Registry;
  readonly #folder: string;
  readonly #signal: AbortSignal;

  constructor(registry: Registry, folder: string, signal: AbortSignal) {
    this.#registry = registry;
    this.#folder = folder;
    this.#signal = AbortSignal.any([signal, AbortSignal.timeout(deadline)]);
  }

  async downloadBytes(url: string, maxLength: number): Promise<Buffer> {
    try {
      const { status, body } = await ask({
        registry: this.#registry,
        url: new URL(url),
        accept: '*/*',
        most: maxLength,
        isArchive: false,
        signal: this.#signal,
      });
      if (status !== 200) {
        await body.return();
        throw new DownloadHTTPError(`status ${status}`, status);
      }
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks);
    } catch (error) {
      if (error instanceof Refusal) this.fault = error;
      throw error;
    }
  }

  async downloadFile<T>(url: string, maxLength: number, take: (file: string) => Promise<T>): Promise<T> {
    const file = join(this.#folder, 'download');
    await writeFile(file, await this.downloadBytes(url, maxLength));
    try {
      return await take(file);
    } finally {
      await rm(file);
    }
  }
}

/** What was received is not named. */
function refusalFor(url: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const text = (error as Error).message;
  const status = /\bstatus (\d+)/.exec(text)?.[1];
  if (status !== undefined)
    return invalid(
      sentence`The repository of keys ${url} answers with status ${status} for one of its files.`,
    );
  if (text.includes('is expired'))
    return invalid(
      sentence`The repository of keys ${url} has files that have expired. Is the clock of this machine right? If it is, the repository is out of use, or something between sends its old files.`,
    );
  if (/version/.test(text))
    return invalid(
      sentence`The repository of keys ${url} has files that are older than those that were there before, or that do not go together.`,
    );
  if (/signed by|signature/.test(text))
    return invalid(
      sentence`The repository of keys ${url} has files that are not signed by those whom its root names.`,
    );
  return invalid(
    sentence`The repository of keys ${url} sends something that is no such repository, that is larger than is taken, or that was altered on the way.`,
  );
}

function invalid(reason: ReturnType<typeof sentence>): Refusal {
  return new Refusal(ErrorCode.REGISTRY_REPLY_INVALID, reason);
}
