import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { PluginKind, type PluginOrigin } from '@tagway/schemas';
import type { Plugin } from '../../core/model.ts';
import type { Archive, Libraries, Plugins, StagedLibrary, Store } from '../../core/ports/ports.ts';
import type { ConfigLog } from './config-log.ts';
import type { Changes, Entry } from './packed-changes.ts';
import type { Stage } from './stages.ts';

/** The pair's record of an installed library, with the stage of its archive in etcd. */
interface LibraryRecord extends Stage {
  /** Bare name of the archive's file. */
  readonly library: string;
  readonly version: string;
  /** Of the archive, in hex. */
  readonly sha256: string;
  readonly signature?: string;
  readonly origin?: PluginOrigin;
}

/** Called at a gateway that follows, after a library was installed or removed. */
export interface Plugging {
  plugged(plugin: Plugin): Promise<void>;
  unplugged(plugin: Plugin): Promise<void>;
}

export interface SharedLibrariesOptions {
  readonly folder: Libraries;
  readonly plugins: Pick<Plugins, 'all' | 'byId'>;
  readonly log: ConfigLog;
  readonly store: Pick<Store, 'commit'>;
  /** Of this gateway's lease. */
  readonly fence: () => string;
  /** Says something to the operator. */
  readonly report: (sentence: string) => void;
}

const prefix = 'library/';
const keyOf = ({ id }: Pick<Plugin, 'id'>): string => prefix + id;

/**
 * The libraries that users add, at both gateways of a pair. The active one puts the archive into etcd, in parts, and then a record of it
 * into the log. A gateway that follows installs the library before it applies any later change, and checks its signature itself.
 */
export class SharedLibraries implements Libraries {
  readonly #options: SharedLibrariesOptions;
  readonly #records = new Map<string, LibraryRecord>();
  /** Stages that no record names yet, or that may be needed again. */
  readonly #kept = new Set<string>();
  /** Keys of those that could not be installed here, as far as that was reported. */
  readonly #failed = new Set<string>();

  constructor(options: SharedLibrariesOptions) {
    this.#options = options;
  }

  /** Takes over the records that are stored. */
  load(entries: readonly Entry[]): void {
    for (const [key, record] of entries) if (isLibrary(key, record)) this.#records.set(key, record);
  }

  /** Stages that may not be deleted. */
  get stages(): ReadonlySet<string> {
    return new Set([...this.#kept, ...Array.from(this.#records.values(), ({ stage }) => stage)]);
  }

  /** Records for libraries that were installed before the gateway had a pair. Their signatures are not known any more. */
  async shareOwn(fence: string): Promise<Entry[]> {
    const { plugins, folder } = this.#options;
    const entries: Entry[] = [];
    for (const plugin of plugins.all()) {
      if (plugin.kind !== PluginKind.CUSTOM || this.#records.has(keyOf(plugin))) continue;
      const content = await folder.pack(plugin);
      const record = await this.#share(
        plugin,
        { library: `${plugin.id}.tgz`, content, ...(plugin.origin && { origin: plugin.origin }) },
        fence,
      );
      entries.push([keyOf(plugin), record]);
    }
    this.load(entries);
    return entries;
  }

  /** Installs and removes libraries as a change says, at a gateway that follows. Reports a library that cannot be installed; its nodes wait. */
  async apply({ set, delete: deleted }: Changes, plugging: Plugging): Promise<void> {
    for (const [key, record] of set) {
      if (!isLibrary(key, record)) continue;
      const plugin = this.#options.plugins.byId(key.slice(prefix.length));
      const before = this.#records.get(key);
      const isThere =
        plugin?.version === record.version &&
        before?.sha256 === record.sha256 &&
        isDeepStrictEqual(before.origin, record.origin);
      this.#records.set(key, record);
      if (!isThere) await this.#install(key, record, plugin, plugging);
    }
    for (const key of deleted) {
      this.#failed.delete(key);
      if (!this.#records.delete(key)) continue;
      const plugin = this.#options.plugins.byId(key.slice(prefix.length));
      if (plugin?.kind === PluginKind.CUSTOM) await this.#uninstall(plugin, plugging);
    }
  }

  /** Some library could not be installed here. */
  get isIncomplete(): boolean {
    return this.#failed.size > 0;
  }

  /** Installs what could not be installed before. */
  check(plugging: Plugging): Promise<void> {
    return this.apply({ set: [...this.#records], delete: [] }, plugging);
  }

  read: Libraries['read'] = (archive) => this.#options.folder.read(archive);

  pack(plugin: Plugin): Promise<Uint8Array> {
    return this.#options.folder.pack(plugin);
  }

  inspect(archive: Archive): Promise<StagedLibrary> {
    return this.#options.folder.inspect(archive);
  }

  async unpack(archive: Archive): Promise<StagedLibrary> {
    const known = await this.read(archive);
    const staged = await this.#options.folder.unpack(known);
    try {
      // Before the change holds the lock of the store: an archive may be large.
      const record = await this.#share(staged.plugin, known, this.#options.fence());
      return this.#shared(staged, record);
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  async remove(plugin: Plugin): Promise<() => Promise<void>> {
    await this.#note(keyOf(plugin), undefined);
    return this.#options.folder.remove(plugin);
  }

  async #share(
    { version }: Plugin,
    { library, content, signature, origin }: Awaited<ReturnType<Libraries['read']>>,
    fence: string,
  ): Promise<LibraryRecord> {
    const { log } = this.#options;
    const bytes = Buffer.from(content);
    const stage = await log.stages.put(log.fenceOf(fence), 'library', bytes);
    this.#kept.add(stage.stage);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return {
      library,
      version,
      sha256,
      ...stage,
      ...(signature !== undefined && { signature }),
      ...(origin !== undefined && { origin }),
    };
  }

  #shared(staged: StagedLibrary, record: LibraryRecord): StagedLibrary {
    const key = keyOf(staged.plugin);
    const before = this.#records.get(key);
    if (before !== undefined) this.#kept.add(before.stage);
    return {
      plugin: staged.plugin,
      isSigned: staged.isSigned,
      text: (path, most) => staged.text(path, most),
      has: (path) => staged.has(path),
      probe: () => staged.probe(),
      place: async (old) => {
        await staged.place(old);
        try {
          await this.#note(key, record);
        } catch (error) {
          await staged.withdraw();
          throw error;
        }
      },
      withdraw: async () => {
        await staged.withdraw();
        await this.#note(key, before);
      },
      discard: async () => {
        this.#kept.delete(record.stage);
        if (before !== undefined) this.#kept.delete(before.stage);
        await staged.discard();
      },
    };
  }

  async #note(key: string, record: LibraryRecord | undefined): Promise<void> {
    await this.#options.store.commit(record === undefined ? { delete: [key] } : { set: [[key, record]] });
    if (record === undefined) this.#records.delete(key);
    else this.#records.set(key, record);
  }

  async #install(
    key: string,
    record: LibraryRecord,
    old: Plugin | undefined,
    plugging: Plugging,
  ): Promise<void> {
    const { folder, log, report } = this.#options;
    const { library, version, sha256, signature, origin } = record;
    try {
      const content = await log.stages.read(record);
      // The change that removes it is the next one.
      if (content === undefined) return;
      if (createHash('sha256').update(content).digest('hex') !== sha256)
        throw new Error('its archive is damaged');
      const staged = await folder.unpack({
        library,
        content,
        ...(signature !== undefined && { signature }),
        ...(origin !== undefined && { origin }),
      });
      try {
        await staged.place(old);
        await plugging.plugged(staged.plugin);
      } finally {
        await staged.discard();
      }
      this.#failed.delete(key);
      report(
        `Version ${version} of the plugin "${staged.plugin.name}" (${staged.plugin.id}) came from the pair.`,
      );
    } catch (error) {
      // It is tried again and again, and reported once.
      if (this.#failed.has(key)) return;
      this.#failed.add(key);
      report(
        `The library "${key.slice(prefix.length)}" of the pair could not be installed here, so that this gateway cannot run its nodes: ` +
          (error instanceof Error ? error.message : String(error)),
      );
    }
  }

  async #uninstall(plugin: Plugin, plugging: Plugging): Promise<void> {
    const { folder, report } = this.#options;
    try {
      const discard = await folder.remove(plugin);
      await plugging.unplugged(plugin);
      await discard();
    } catch (error) {
      report(
        `The library of the plugin "${plugin.name}", which the pair has no more, could not be removed here: ${String(error)}`,
      );
    }
  }
}

function isLibrary(key: string, record: unknown): record is LibraryRecord {
  if (!key.startsWith(prefix) || typeof record !== 'object' || record === null) return false;
  const { library, version, sha256, stage, parts } = record as Partial<LibraryRecord>;
  return (
    [library, version, sha256, stage].every((text) => typeof text === 'string') && Number.isSafeInteger(parts)
  );
}
