import type { ConfigBody, NodeProfile, TagInput } from '@tagway/schemas';
import { isDeepStrictEqual } from 'node:util';
import { editorSchemas, type SchemaName } from './editor-schemas.ts';
import { FileNames, nameOfFile } from './file-names.ts';
import { fileTagOf, tagOfFile } from './file-tags.ts';
import type { FolderFiles } from './folder-files.ts';
import { besides, type FolderContent, type Kind } from './read-folder.ts';
import { type Reference, referenceOf, type ReferenceSources } from './references.ts';
import { encodedSettings, mask, type PluginFacts } from './resolve.ts';
import { csvOfTags, tagsOfCsv } from './tag-csv.ts';
import { isSame, mergedYaml, type Shape, yamlOf } from './yaml-merge.ts';

/** Tags of a new file from which on they are in a table beside it, and those from which on a file does not keep them itself. */
const table = { from: 50, always: 1000 } as const;

/** What is to be written. */
export interface FolderSource {
  /** As an export has it, with masks for secrets. */
  readonly config: ConfigBody;
  readonly apps: ReadonlySet<string>;
  readonly plugins: ReadonlyMap<string, PluginFacts>;
  /** The folder as it is, and what it says if it is a configuration folder. */
  readonly files: FolderFiles;
  readonly present: FolderContent | undefined;
  readonly sources: ReferenceSources;
}

/** The content of files by their paths; undefined for one that is to be deleted. */
export type FolderChanges = Map<string, string | Uint8Array | undefined>;

type Groups = readonly { readonly name: string; readonly tags: readonly TagInput[] }[];

const nameOf = (entry: unknown): string => String((entry as { readonly name?: unknown }).name);
const tagShape: Shape = {
  isLine: true,
  isSame: (before, now) => isDeepStrictEqual(fileTagOf(tagOfFile(before as never)), now),
};
const groupsShape: Shape = {
  keyOf: nameOf,
  entry: {
    defaults: { history: 0, report: 'default', min_interval: 0, max_interval: 0, tags: [] },
    members: { tags: { keyOf: nameOf, entry: tagShape } },
  },
};
const placeOf = (entry: unknown): string => {
  const { driver, group } = entry as { readonly driver: string; readonly group: string };
  return JSON.stringify([driver, group]);
};
const nodeShape: Shape = {
  defaults: { stopped: false, groups: [], subscriptions: [] },
  members: {
    groups: groupsShape,
    subscriptions: { keyOf: placeOf, entry: { members: { params: { isLine: true } } } },
  },
};

/** What an export finds. */
export interface Written {
  readonly changes: FolderChanges;
  /** A sentence for each node that a loop makes and that is otherwise in the gateway: a loop is not written. */
  readonly looped: readonly string[];
}

/**
 * What has to be written so that a folder says what a gateway is; comments, order and variables of files that are there are kept. Throws
 * `FolderError`.
 */
export async function folderChanges(source: FolderSource): Promise<Written> {
  const writer = new FolderWriter(source);
  await writer.writeAll();
  return writer;
}

class FolderWriter implements Written {
  readonly changes: FolderChanges = new Map();
  readonly looped: string[] = [];
  readonly #source: FolderSource;
  readonly #names: Readonly<Record<Kind, FileNames>> = {
    drivers: new FileNames(),
    apps: new FileNames(),
    templates: new FileNames(),
  };
  readonly #kept = new Set<string>();

  constructor(source: FolderSource) {
    this.#source = source;
  }

  async writeAll(): Promise<void> {
    const { config, apps, plugins, present } = this.#source;
    const loops = new Set([...(present?.loops ?? [])].map((file) => file.slice(0, -'.yaml'.length)));
    for (const [kind, files] of Object.entries(present?.files ?? {}) as [
      Kind,
      ReadonlyMap<string, string>,
    ][]) {
      const bare = [...files.values()].map((file) => file.slice(0, -'.yaml'.length));
      for (const file of [...bare, ...loops])
        if (file.startsWith(`${kind}/`)) this.#names[kind].take(file.slice(kind.length + 1));
    }
    await this.#yaml('gateway.yaml', { format: 1 }, {}, 'gateway');
    const settings = new Map(config.settings.map(({ node, params }) => [node, params]));
    const bodyOf = nodeBodies(config);
    const said = present && nodeBodies(present.body);
    for (const { name, plugin, profile } of config.nodes) {
      const kind = apps.has(name) ? 'apps' : 'drivers';
      const bare = this.#bareOf(kind, name);
      const params = settings.get(name);
      const given = params && (await this.#settings(name, bare, plugin, params));
      const { stopped, groups, subscriptions } = bodyOf(name);
      const value = {
        ...this.#nameIn(bare, kind, name),
        plugin,
        ...(stopped && { stopped }),
        ...(given && { settings: given }),
        ...(groups.length > 0 && { groups }),
        ...(subscriptions.length > 0 && { subscriptions }),
      };
      if (said !== undefined && loops.has(bare)) {
        const before = {
          ...said(name),
          settings: present?.body.settings.find(({ node }) => node === name)?.params,
        };
        const now = { ...bodyOf(name), settings: given };
        if (!isSame(comparable(before), comparable(now), nodeShape))
          this.looped.push(
            `${bare}.yaml makes the node "${name}" by a loop, and it is otherwise in the gateway.`,
          );
        continue;
      }
      await this.#file(kind, bare, value);
      await this.#put(`${bare}${besides.profile}`, profile && `${JSON.stringify(profile, undefined, 1)}\n`);
    }
    for (const { name, plugin, groups: full } of config.templates ?? []) {
      const bare = this.#bareOf('templates', name);
      await this.#file('templates', bare, {
        ...this.#nameIn(bare, 'templates', name),
        plugin,
        ...(full.length > 0 && { groups: full }),
      });
    }
    for (const [path, text] of editorSchemas([...plugins.values()])) await this.#put(path, text);
    await this.#removeOthers(loops);
  }

  /** The path of a file without its ending: that of the file that is there, if there is one. */
  #bareOf(kind: Kind, name: string): string {
    const present = this.#source.present?.files[kind].get(name);
    const bare = present?.slice(0, -'.yaml'.length) ?? `${kind}/${this.#names[kind].of(name)}`;
    this.#kept.add(bare);
    return bare;
  }

  /** What a file says that its name does not. */
  #nameIn(bare: string, kind: Kind, name: string): { readonly name?: string } {
    return nameOfFile(bare.slice(kind.length + 1)) === name ? {} : { name };
  }

  /** A file with groups whose tags are in it or in a table beside it. */
  async #file(kind: Kind, bare: string, value: object): Promise<void> {
    const { groups = [] } = value as { readonly groups?: Groups };
    const schema = ({ drivers: 'driver', apps: 'app', templates: 'template' } as const)[kind];
    const file = `${bare}${besides.tags}`;
    const before = await this.#source.files.readText(file);
    const text = await this.#source.files.readText(`${bare}.yaml`);
    const count = groups.reduce((sum, { tags }) => sum + tags.length, 0);
    const isTable = before !== undefined || count > (text === undefined ? table.from : table.always);
    const written = groups.map(({ tags, ...head }) => ({
      ...head,
      ...(!isTable && tags.length > 0 && { tags: tags.map(fileTagOf) }),
    }));
    await this.#yaml(
      `${bare}.yaml`,
      { ...value, ...(groups.length > 0 && { groups: written }) },
      nodeShape,
      schema,
    );
    await this.#put(file, isTable && count > 0 ? tableOf(before, groups) : undefined);
  }

  async #yaml(file: string, value: object, shape: Shape, schema: SchemaName): Promise<void> {
    const { files, present } = this.#source;
    const before = await files.readText(file);
    const way = file.includes('/') ? '../' : '';
    const comment = `yaml-language-server: $schema=${way}.schemas/${schema}.json`;
    await this.#put(
      file,
      before === undefined
        ? yamlOf(value, shape, comment)
        : mergedYaml(before, file, value, shape, (part, hasLoops) =>
            present === undefined ? part : present.variables.ofPart(part, hasLoops),
          ),
    );
  }

  async #put(file: string, content: string | Uint8Array | undefined): Promise<void> {
    const before = await this.#source.files.read(file);
    const now = content === undefined ? undefined : Buffer.from(content);
    if (now === undefined ? before !== undefined : before === undefined || !now.equals(before))
      this.changes.set(file, content);
  }

  /** Settings with references in the place of secrets and files; references that are there stay where they lead to the same. */
  async #settings(node: string, bare: string, plugin: string, params: object): Promise<object> {
    const before = this.#source.present?.body.settings.find((one) => one.node === node)?.params;
    const encoded = encodedSettings(this.#source.plugins.get(plugin));
    const members: [string, unknown][] = [];
    for (const [name, value] of Object.entries(params) as [string, unknown][]) {
      const old = (before as Record<string, unknown> | undefined)?.[name];
      const reference = referenceOf(old);
      const isEncoded = encoded.has(name);
      if (reference !== undefined && (await this.#leadsTo(reference, value, isEncoded)))
        members.push([name, old]);
      else members.push([name, await this.#settingOf(`${bare}.${name}`, value, old, isEncoded)]);
    }
    return Object.fromEntries(members);
  }

  async #leadsTo(reference: Reference, value: unknown, isEncoded: boolean): Promise<boolean> {
    if (value === mask) return true;
    const found = await this.#source.sources.find(reference);
    return found !== undefined && (isEncoded ? found.base64 : found.text) === value;
  }

  /** `path`: of the node's file and the setting, without an ending. */
  async #settingOf(path: string, value: unknown, old: unknown, isEncoded: boolean): Promise<unknown> {
    if (isEncoded && typeof value === 'string' && value !== mask) {
      const content = Buffer.from(value, 'base64');
      if (content.toString('base64') !== value) return value;
      const name = referenceOf(old);
      const ending = content.toString('latin1').startsWith('-----BEGIN ') ? 'pem' : 'bin';
      const file = name?.kind === 'file' ? name.name : `files/${path.replace('/', '.')}.${ending}`;
      await this.#put(file, content);
      return { file };
    }
    return withReferences(value, path.slice(path.indexOf('/') + 1));
  }

  async #removeOthers(loops: ReadonlySet<string>): Promise<void> {
    const { present, config } = this.#source;
    const there = new Set(config.nodes.map(({ name }) => name));
    for (const [kind, files] of Object.entries(present?.files ?? {})) {
      for (const [name, file] of files) {
        const bare = file.slice(0, -'.yaml'.length);
        if (loops.has(bare)) {
          if (!there.has(name))
            this.looped.push(`${file} makes the node "${name}" by a loop, and the gateway does not have it.`);
          continue;
        }
        if (!file.startsWith(`${kind}/`) || this.#kept.has(bare)) continue;
        for (const path of [file, `${bare}${besides.tags}`, `${bare}${besides.profile}`])
          await this.#put(path, undefined);
      }
    }
  }
}

/** What a node is beside its settings. */
interface NodeBody {
  readonly plugin: string;
  readonly stopped: boolean;
  readonly profile: NodeProfile | undefined;
  readonly groups: Groups;
  readonly subscriptions: readonly object[];
}

/** The nodes of a configuration by name. */
function nodeBodies(config: ConfigBody): (name: string) => NodeBody {
  const nodes = new Map(config.nodes.map((node) => [node.name, node]));
  const groups = Map.groupBy(config.groups, ({ driver }) => driver);
  const tags = new Map(config.tags.map((one) => [JSON.stringify([one.driver, one.group]), one.tags]));
  const routes = Map.groupBy(config.subscriptions, ({ app }) => app);
  return (name) => {
    const { plugin = '', running, profile } = nodes.get(name) ?? {};
    return {
      plugin,
      stopped: running === 4,
      profile,
      groups: (groups.get(name) ?? []).map(({ driver, group = '', tag_count: _count, ...head }) => ({
        name: group,
        ...head,
        tags: tags.get(JSON.stringify([driver, group])) ?? [],
      })),
      subscriptions: (routes.get(name) ?? []).map(({ driver, group, params }) => ({
        driver,
        group,
        ...(params && { params }),
      })),
    };
  };
}

/** With tags as files have them, which leave out what means the same. */
function comparable(node: NodeBody & { readonly settings: object | undefined }): object {
  const groups = node.groups.map((group) => ({ ...group, tags: group.tags.map(fileTagOf) }));
  return { ...node, groups };
}

/** With references in the place of masks at any depth; the name of a secret is that of its place. */
function withReferences(value: unknown, name: string): unknown {
  if (value === mask) return { secret: name };
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one, index) => withReferences(one, `${name}.${index}`));
  return Object.fromEntries(
    Object.entries(value).map(([member, one]: [string, unknown]) => [
      member,
      withReferences(one, `${name}.${member}`),
    ]),
  );
}

/** A table with its rows in the order of the one that is there, which stays as it is where it says the same. */
function tableOf(before: string | undefined, groups: Groups): string {
  if (before === undefined) return csvOfTags(groups);
  const rows = tagsOfCsv(before, () => undefined);
  const keyOf = (group: string, tag: string): string => JSON.stringify([group, tag]);
  const left = new Map(
    groups.flatMap(({ name, tags }) => tags.map((tag) => [keyOf(name, tag.name), { name, tag }] as const)),
  );
  let isSame = rows.length === left.size;
  const ordered: { readonly name: string; readonly tag: TagInput }[] = [];
  for (const row of rows) {
    const key = keyOf(row.group, row.tag.name);
    const now = left.get(key);
    left.delete(key);
    if (now !== undefined) ordered.push(now);
    isSame &&= now !== undefined && isDeepStrictEqual(fileTagOf(row.tag), fileTagOf(now.tag));
  }
  if (isSame) return before;
  return csvOfTags([...ordered, ...left.values()].map(({ name, tag }) => ({ name, tags: [tag] })));
}
