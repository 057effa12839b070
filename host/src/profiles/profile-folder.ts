import { lstat, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Log } from '@tagway/sdk';
import { ErrorCode, profileLimits } from '@tagway/schemas';
import { sentenceOf } from '../core/system/system-error.ts';
import { makeFolder } from '../core/system/make-folder.ts';
import type {
  InstalledProfile,
  PackableProfiles,
  ProfileArchive,
  ProfileSummary,
  StagedProfile,
} from '../core/ports/profiles.ts';
import { invalid } from '../core/profiles/profile-rules.ts';
import { summaryOf } from '../core/profiles/profile-summary.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';
import { readOrigin, writeOrigin } from '../library/origin.ts';
import { checkPackageSignature } from '../library/package-signature.ts';
import { checkSignature, type SignaturePolicy } from '../library/signature.ts';
import { profileOf } from './profile-files.ts';
import { readArchive } from './read-archive.ts';

export interface ProfileFolderOptions {
  /** Holds a folder for each profile that was installed. */
  readonly path: string;
  /** Holds those that come with the gateway. */
  readonly system: string;
  readonly signatures: SignaturePolicy;
  readonly log: Log;
}

/** Hidden folders beside the installed ones. */
const prefixes = { staging: '.staging-', previous: '.previous-' } as const;

/** Device profiles on disk. They are read when somebody asks for them: a gateway that nobody configures needs none. */
export class ProfileFolder implements PackableProfiles {
  readonly #options: ProfileFolderOptions;
  #listed: Promise<ReadonlyMap<string, ProfileSummary>> | undefined;

  constructor(options: ProfileFolderOptions) {
    this.#options = options;
  }

  /** Puts right what an installation left that a crash cut short, as far as the disk allows. */
  async recover(): Promise<void> {
    const { path } = this.#options;
    const names: string[] = await readdir(path).catch(() => []);
    for (const name of names) {
      const profile = name.slice(prefixes.previous.length);
      if (name.startsWith(prefixes.previous) && !names.includes(profile))
        await rename(join(path, name), join(path, profile)).catch(() => undefined);
      else if (Object.values(prefixes).some((prefix) => name.startsWith(prefix)))
        await remove(join(path, name));
    }
  }

  list(): Promise<ReadonlyMap<string, ProfileSummary>> {
    return (this.#listed ??= this.#list());
  }

  async read(id: string): Promise<InstalledProfile | undefined> {
    const summary = (await this.list()).get(id);
    if (summary === undefined) return undefined;
    const { path, system } = this.#options;
    const { files } = profileOf(await filesIn(join(summary.isSystem ? system : path, id)));
    return { ...files, isSystem: summary.isSystem, ...(summary.origin && { origin: summary.origin }) };
  }

  async unpack({ content, signature, origin }: ProfileArchive): Promise<StagedProfile> {
    const { path, signatures } = this.#options;
    if (content.length > profileLimits.packed)
      throw invalid(sentence`It has more than ${profileLimits.packed / 1e6} MB.`);
    // A package of a registry has the signature of its author in it.
    if (origin === undefined) await checkSignature(content, signature, signatures);
    const files = await filesOf(content);
    const checked = profileOf(files);
    await makeFolder(path);
    const staging = await mkdtemp(join(path, prefixes.staging));
    try {
      for (const [name, file] of files) await write(join(staging, name), file);
      const isSigned = origin !== undefined && (await checkPackageSignature(staging, signatures));
      if (origin !== undefined) await writeOrigin(staging, origin);
      return {
        ...checked,
        isSigned,
        place: () => this.#place(staging, checked.files.profile.id),
        discard: () => remove(staging),
      };
    } catch (error) {
      await remove(staging);
      throw error;
    }
  }

  async pack(id: string): Promise<Uint8Array> {
    const archive = pack();
    const packed = buffer(archive.pipe(createGzip()));
    for (const [name, content] of await filesIn(join(this.#options.path, id)))
      archive.entry({ name: `package/${name}` }, content);
    archive.finalize();
    return await packed;
  }

  async remove(id: string): Promise<void> {
    const { path } = this.#options;
    // Renamed first, so that a crash leaves all of it or nothing.
    const staging = await mkdtemp(join(path, prefixes.staging));
    await rename(join(path, id), join(staging, id));
    this.#listed = undefined;
    await sync(path);
    await remove(staging);
  }

  /** A folder cannot be renamed onto another one. Between the two renames the predecessor is aside, from where `recover` takes it. */
  async #place(staging: string, id: string): Promise<void> {
    const { path } = this.#options;
    const place = join(path, id);
    const aside = join(path, prefixes.previous + id);
    const found = await lstat(place).catch(() => undefined);
    if (found !== undefined && !found.isDirectory())
      throw new Refusal(
        ErrorCode.LIBRARY_NAME_CONFLICT,
        sentence`The device profile goes into the folder ${place}, and there is a file of this name. Give the file another name.`,
      );
    await rm(aside, { recursive: true, force: true });
    if (found !== undefined) await rename(place, aside);
    try {
      await rename(staging, place);
    } catch (error) {
      if (found !== undefined) await rename(aside, place);
      throw error;
    }
    this.#listed = undefined;
    await sync(path);
    await remove(aside);
  }

  async #list(): Promise<Map<string, ProfileSummary>> {
    const { path, system } = this.#options;
    const found = new Map<string, ProfileSummary>();
    for (const [folder, isSystem] of [
      [system, true],
      [path, false],
    ] as const)
      for (const id of (await foldersIn(folder)).slice(0, 2 * profileLimits.installed)) {
        const summary = await this.#summary(join(folder, id), id, isSystem);
        if (summary !== undefined) found.set(id, summary);
      }
    return found;
  }

  /** Undefined, with a line in the log, for a folder that holds no valid profile. */
  async #summary(folder: string, id: string, isSystem: boolean): Promise<ProfileSummary | undefined> {
    try {
      const { profile } = profileOf(await filesIn(folder)).files;
      if (profile.id !== id) throw invalid(sentence`It is called "${profile.id}", and its folder "${id}".`);
      const origin = isSystem ? undefined : await readOrigin(folder);
      return summaryOf(profile, { isSystem, ...(origin && { origin }) });
    } catch (error) {
      this.#options.log.error(`The device profile in ${folder} is left out: ${sentenceOf(error)}`);
      return undefined;
    }
  }
}

/** What a folder, an archive or a profile.json holds. Rejects with PROFILE_INVALID, or with why it cannot be read. */
export async function readProfileFiles(path: string): Promise<ReturnType<typeof profileOf>> {
  if ((await lstat(path)).isDirectory()) return profileOf(await filesIn(path));
  const content = await readFile(path);
  return profileOf(await filesOf(content));
}

/** The files of an archive, or a profile.json alone. */
async function filesOf(content: Uint8Array): Promise<ReadonlyMap<string, Buffer>> {
  const isArchive = content[0] === 0x1f && content[1] === 0x8b;
  return isArchive ? await readArchive(content) : new Map([['profile.json', Buffer.from(content)]]);
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}

/** The files of a profile that is in place; what is no profile's is passed over. */
async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const file = join(folder, entry.name);
    const { size } = await lstat(file);
    if (size > profileLimits.unpacked) throw invalid(sentence`Its file ${entry.name} is too large.`);
    files.set(entry.name, await readFile(file));
  }
  return files;
}

/** On disk when it resolves. */
async function write(path: string, content: Buffer): Promise<void> {
  await using file = await open(path, 'wx', 0o644);
  await file.writeFile(content);
  await file.sync();
}

/** What cannot be deleted now is deleted at the next start. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/** Makes renames in a folder durable. */
async function sync(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}
