import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PluginOrigin } from '@tagway/schemas';
import type { Store } from '../../core/ports/ports.ts';
import type {
  PackableProfiles,
  ProfileArchive,
  ProfileStore,
  StagedProfile,
} from '../../core/ports/profiles.ts';
import type { ConfigLog } from './config-log.ts';
import type { Changes, Entry } from './packed-changes.ts';
import type { Stage } from './stages.ts';

/** The pair's record of an installed device profile, with the stage of its archive in etcd. */
interface ProfileStage extends Stage {
  readonly version: string;
  /** Of the archive, in hex. */
  readonly sha256: string;
  readonly signature?: string;
  readonly origin?: PluginOrigin;
}

export interface SharedProfilesOptions {
  readonly folder: PackableProfiles;
  readonly log: ConfigLog;
  readonly store: Pick<Store, 'commit'>;
  /** Of this gateway's lease. */
  readonly fence: () => string;
  /** Says something to the operator. */
  readonly report: (sentence: string) => void;
}

const prefix = 'device-profile/';

/**
 * The device profiles that users install, at both gateways of a pair. The active one puts the archive into etcd and then a record of it into
 * the log; a gateway that follows installs it before it applies any later change, and checks its signature itself.
 */
export class SharedProfiles implements ProfileStore {
  readonly #options: SharedProfilesOptions;
  readonly #records = new Map<string, ProfileStage>();
  /** Stages that no record names yet. */
  readonly #kept = new Set<string>();

  constructor(options: SharedProfilesOptions) {
    this.#options = options;
  }

  /** Takes over the records that are stored. */
  load(entries: readonly Entry[]): void {
    for (const [key, record] of entries) if (isProfile(key, record)) this.#records.set(key, record);
  }

  /** Stages that may not be deleted. */
  get stages(): ReadonlySet<string> {
    return new Set([...this.#kept, ...Array.from(this.#records.values(), ({ stage }) => stage)]);
  }

  /** Records for profiles that were installed before the gateway had a pair. Their signatures are not known any more. */
  async shareOwn(fence: string): Promise<Entry[]> {
    const { folder } = this.#options;
    const entries: Entry[] = [];
    for (const { id, version, isSystem, origin } of (await folder.list()).values()) {
      if (isSystem || this.#records.has(prefix + id)) continue;
      const archive = { content: await folder.pack(id), ...(origin && { origin }) };
      entries.push([prefix + id, await this.#share(version, archive, fence)]);
    }
    this.load(entries);
    return entries;
  }

  /** Installs and removes profiles as a change says, at a gateway that follows. Reports one that cannot be installed. */
  async apply({ set, delete: deleted }: Changes): Promise<void> {
    for (const [key, record] of set) {
      if (!isProfile(key, record)) continue;
      const own = await this.#own(key);
      const before = this.#records.get(key);
      const isThere =
        own?.version === record.version &&
        before?.sha256 === record.sha256 &&
        isDeepStrictEqual(before.origin, record.origin);
      this.#records.set(key, record);
      if (!isThere) await this.#install(key, record);
    }
    for (const key of deleted)
      if (this.#records.delete(key) && (await this.#own(key)) !== undefined)
        await this.#options.folder.remove(key.slice(prefix.length)).catch((error: unknown) => {
          this.#options.report(
            `The device profile "${key.slice(prefix.length)}", which the pair has no more, could not be removed here: ${String(error)}`,
          );
        });
  }

  /** Installs what could not be installed before. */
  check(): Promise<void> {
    return this.apply({ set: [...this.#records], delete: [] });
  }

  list: ProfileStore['list'] = () => this.#options.folder.list();

  read: ProfileStore['read'] = (id) => this.#options.folder.read(id);

  async unpack(archive: ProfileArchive): Promise<StagedProfile> {
    const staged = await this.#options.folder.unpack(archive);
    return { ...staged, place: () => this.#place(staged, archive) };
  }

  async remove(id: string): Promise<void> {
    await this.#note(prefix + id, undefined);
    await this.#options.folder.remove(id);
  }

  /** The record first: what only this gateway had would be gone after a hand-over. */
  async #place(staged: StagedProfile, archive: ProfileArchive): Promise<void> {
    const { id, version } = staged.files.profile;
    const key = prefix + id;
    const before = this.#records.get(key);
    const record = await this.#share(version, archive, this.#options.fence());
    try {
      await this.#note(key, record);
      try {
        await staged.place();
      } catch (error) {
        await this.#note(key, before);
        throw error;
      }
    } finally {
      this.#kept.delete(record.stage);
    }
  }

  async #share(
    version: string,
    { content, signature, origin }: ProfileArchive,
    fence: string,
  ): Promise<ProfileStage> {
    const { log } = this.#options;
    const bytes = Buffer.from(content);
    const stage = await log.stages.put(log.fenceOf(fence), 'profile', bytes);
    this.#kept.add(stage.stage);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return {
      version,
      sha256,
      ...stage,
      ...(signature !== undefined && { signature }),
      ...(origin && { origin }),
    };
  }

  async #note(key: string, record: ProfileStage | undefined): Promise<void> {
    await this.#options.store.commit(record === undefined ? { delete: [key] } : { set: [[key, record]] });
    if (record === undefined) this.#records.delete(key);
    else this.#records.set(key, record);
  }

  /** The profile of a record, if users have installed it here. */
  async #own(key: string): Promise<{ readonly version: string } | undefined> {
    const found = (await this.#options.folder.list()).get(key.slice(prefix.length));
    return found?.isSystem === false ? found : undefined;
  }

  async #install(key: string, record: ProfileStage): Promise<void> {
    const { folder, log, report } = this.#options;
    const { version, sha256, signature, origin } = record;
    try {
      const content = await log.stages.read(record);
      // The change that removes it is the next one.
      if (content === undefined) return;
      if (createHash('sha256').update(content).digest('hex') !== sha256)
        throw new Error('its archive is damaged');
      const staged = await folder.unpack({ content, signature, ...(origin && { origin }) });
      try {
        await staged.place();
      } finally {
        await staged.discard();
      }
      report(`Version ${version} of the device profile "${staged.files.profile.id}" came from the pair.`);
    } catch (error) {
      report(
        `The device profile "${key.slice(prefix.length)}" of the pair could not be installed here: ` +
          (error instanceof Error ? error.message : String(error)),
      );
    }
  }
}

function isProfile(key: string, record: unknown): record is ProfileStage {
  if (!key.startsWith(prefix) || typeof record !== 'object' || record === null) return false;
  const { version, sha256, stage, parts } = record as Partial<ProfileStage>;
  return [version, sha256, stage].every((text) => typeof text === 'string') && Number.isSafeInteger(parts);
}
