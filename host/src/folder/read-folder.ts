import type { AppFile, ConfigBody, DriverFile, FileGroup, NodeProfile, TemplateFile } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { parseJson } from '@tagway/sdk/json';
import { nameOfFile } from './file-names.ts';
import { tagOfFile } from './file-tags.ts';
import { FolderError, type FolderFiles } from './folder-files.ts';
import { type GroupColumn, type TagRow, tagsOfCsv } from './tag-csv.ts';
import { isLoop, Variables } from './variables.ts';
import { valueOf, yamlDocument } from './yaml-text.ts';

/** The folders of nodes and templates, and what is in a file of each. */
export const kinds = { drivers: 'DriverFile', apps: 'AppFile', templates: 'TemplateFile' } as const;
export type Kind = keyof typeof kinds;

/** What ends the names of files beside the one of a node. */
export const besides = { tags: '.tags.csv', profile: '.profile.json' } as const;

/** Tags that all files make together. */
const mostTags = 1_000_000;

type Template = NonNullable<ConfigBody['templates']>[number];

/** What a folder says. */
export interface FolderContent {
  /** As an export has it, with templates; references stand in the place of values. */
  readonly body: ConfigBody & { readonly templates: Template[] };
  /** The file of each node and template, by kind and name. */
  readonly files: Readonly<Record<Kind, ReadonlyMap<string, string>>>;
  /** The files that are there once for each item of a list. */
  readonly loops: ReadonlySet<string>;
  readonly variables: Variables;
  /** Everything that is wrong with the files, in sentences. */
  readonly problems: readonly string[];
}

type NodeFile = DriverFile | AppFile | TemplateFile;

/** Groups of a file with all their tags. */
interface FullGroup extends Omit<FileGroup, 'tags'> {
  readonly tags: ConfigBody['tags'][number]['tags'];
}

/** Reads a configuration folder. `vars`: the name of the gateway's file of variables, if there is one. Throws `FolderError` when it is none. */
export async function readFolder(files: FolderFiles, vars?: string): Promise<FolderContent> {
  const reader = new FolderReader(files, await Variables.read(files, vars));
  await reader.readAll();
  return reader;
}

class FolderReader implements FolderContent {
  readonly body: FolderContent['body'] = {
    nodes: [],
    groups: [],
    tags: [],
    subscriptions: [],
    settings: [],
    templates: [],
  };
  readonly files = {
    drivers: new Map<string, string>(),
    apps: new Map<string, string>(),
    templates: new Map<string, string>(),
  };
  readonly loops = new Set<string>();
  readonly variables: Variables;
  readonly problems: string[] = [];
  readonly #files: FolderFiles;
  #tags = 0;

  constructor(files: FolderFiles, variables: Variables) {
    this.#files = files;
    this.variables = variables;
  }

  async readAll(): Promise<void> {
    const [gateway] = await this.#yaml('gateway.yaml', 'GatewayFile');
    if (gateway === undefined && this.problems.length === 0)
      throw new FolderError(
        `The folder ${this.#files.path} is no configuration folder: it has no file gateway.yaml.`,
      );
    for (const kind of Object.keys(kinds) as Kind[]) {
      const names = await this.#attempt(() => this.#files.list(kind));
      for (const name of names ?? []) {
        for (const ending of Object.values(besides)) {
          const file = `${name.slice(0, -ending.length)}.yaml`;
          if (name.endsWith(ending) && names?.includes(file) !== true)
            this.problems.push(`${kind}/${name} belongs to a file ${file}, which is not there.`);
        }
        if (name.endsWith('.yml')) this.problems.push(`The name of ${kind}/${name} has to end in .yaml.`);
        if (!name.endsWith('.yaml')) continue;
        // A link to nothing would else look as if the file was deleted.
        if (await this.#attempt(() => this.#files.isThere(`${kind}/${name}`)))
          await this.#attempt(() => this.#read(kind, `${kind}/${name}`));
      }
    }
  }

  /** What a piece of work throws becomes a problem, so that all problems are found at once. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FolderError)) throw error;
      this.problems.push(error.message);
      return undefined;
    }
  }

  /** The values of a file: none when it is not there or is wrong, and several of a loop. */
  async #yaml(file: string, definition: 'GatewayFile' | (typeof kinds)[Kind]): Promise<unknown[]> {
    const text = await this.#attempt(() => this.#files.readText(file));
    if (text === undefined) return [];
    const values = await this.#attempt(async () => {
      const value = valueOf(yamlDocument(text, file), file);
      if (definition === 'GatewayFile') return [value];
      if (isLoop(value)) this.loops.add(file);
      return this.variables.ofFile(value, file);
    });
    const good: unknown[] = [];
    for (const [at, value] of (values ?? []).entries()) {
      const problem = checkOf(definition)(value);
      if (problem === undefined) good.push(value);
      else this.problems.push(`${file}${this.loops.has(file) ? `, item ${at + 1}` : ''}: ${problem}`);
    }
    return good;
  }

  async #read(kind: Kind, file: string): Promise<void> {
    const values = (await this.#yaml(file, kinds[kind])) as NodeFile[];
    if (values.length === 0) return;
    const bare = file.slice(0, -'.yaml'.length);
    const table = kind === 'apps' ? undefined : await this.#table(bare);
    const profile = kind === 'templates' ? undefined : await this.#profile(`${bare}${besides.profile}`);
    for (const value of values) {
      const name = this.#nameOf(kind, file, value);
      this.files[kind].set(name, file);
      const groups = 'groups' in value ? (value.groups ?? []) : [];
      const full = kind === 'apps' ? [] : this.#withTable(bare, groups, table);
      this.#tags += full.reduce((sum, { tags }) => sum + tags.length, 0);
      if (this.#tags > mostTags)
        throw new FolderError(`The files of the folder have more than ${mostTags} tags together.`);
      if (kind === 'templates') this.#addTemplate(name, value, full);
      else this.#addNode(name, value, full, profile);
    }
  }

  #nameOf(kind: Kind, file: string, value: NodeFile): string {
    const name = value.name ?? nameOfFile(file.slice(kind.length + 1, -'.yaml'.length));
    if (name === undefined)
      throw new FolderError(`${file}: what follows % in the name of the file is not the bytes of a text.`);
    const other = this.files[kind].get(name) ?? (kind === 'apps' ? this.files.drivers.get(name) : undefined);
    if (other === undefined) return name;
    const what = `${kind === 'templates' ? 'template' : 'node'} "${name}"`;
    throw new FolderError(
      other === file
        ? `${file}: two items of its loop make the ${what}. Its name has to be a variable of the items, such as name: { var: name }.`
        : `Two files are of the ${what}: ${other} and ${file}.`,
    );
  }

  #addTemplate(name: string, { plugin }: TemplateFile, groups: readonly FullGroup[]): void {
    this.body.templates.push({ name, plugin, groups: groups.map((group) => ({ ...group })) });
  }

  #addNode(
    name: string,
    file: DriverFile | AppFile,
    groups: readonly FullGroup[],
    profile: NodeProfile | undefined,
  ): void {
    const { nodes, settings, subscriptions } = this.body;
    nodes.push({
      name,
      plugin: file.plugin,
      running: file.stopped === true ? 4 : 3,
      ...(profile && { profile }),
    });
    if (file.settings !== undefined) settings.push({ node: name, params: file.settings });
    for (const { tags, name: group, ...head } of groups) {
      this.body.groups.push({ driver: name, group, ...head });
      this.body.tags.push({ driver: name, group, tags });
    }
    for (const one of ('subscriptions' in file ? file.subscriptions : undefined) ?? [])
      subscriptions.push({ app: name, ...one });
  }

  async #profile(file: string): Promise<NodeProfile | undefined> {
    const text = await this.#files.readText(file);
    if (text === undefined) return undefined;
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (cause) {
      throw new FolderError(`The file ${file} is no JSON.`, { cause });
    }
    const problem = checkOf('NodeProfile')(value);
    if (problem !== undefined) throw new FolderError(`${file}: ${problem}`);
    return value as NodeProfile;
  }

  /** The table beside a file; undefined when there is none. */
  async #table(bare: string): Promise<TagRow[] | undefined> {
    const file = `${bare}${besides.tags}`;
    const text = await this.#files.readText(file);
    return text === undefined ? undefined : tagsOfCsv(text, this.#reportTo(file));
  }

  #reportTo(file: string): (row: number, problem: string) => void {
    return (row, problem) => void this.problems.push(`${file}, line ${row}: ${problem}.`);
  }

  /** The groups of a file with its own tags, and those of the table beside it. */
  #withTable(bare: string, groups: readonly FileGroup[], table: readonly TagRow[] = []): FullGroup[] {
    const full = groups.map(({ tags = [], ...group }) => ({ ...group, tags: tags.map(tagOfFile) }));
    const report = this.#reportTo(`${bare}${besides.tags}`);
    const byName = new Map(full.map((group) => [group.name, group]));
    for (const row of table) {
      let group = byName.get(row.group);
      if (group === undefined) {
        group = newGroup(row);
        if (group === undefined) {
          report(
            row.row,
            `there is no group "${row.group}" in ${bare}.yaml, and the table has no interval for it`,
          );
          continue;
        }
        byName.set(group.name, group);
        full.push(group);
      }
      for (const [column, value] of Object.entries(row.ofGroup) as [GroupColumn, string][])
        if (String(group[column] ?? defaultOf[column]) !== value)
          report(
            row.row,
            `the ${column} of the group "${group.name}" is ${value} here and ${group[column] ?? 'not given'} elsewhere`,
          );
      group.tags.push(row.tag);
    }
    return full;
  }
}

const defaultOf = { interval: '', report: 'default', min_interval: 0, max_interval: 0 } as const;

/** A group that only the table has, as an export of the page is one. */
function newGroup({
  group,
  ofGroup,
}: TagRow): (Omit<FullGroup, 'tags'> & { tags: FullGroup['tags'] }) | undefined {
  const interval = Number(ofGroup.interval);
  if (ofGroup.interval === undefined || !Number.isInteger(interval)) return undefined;
  const { report } = ofGroup;
  const known = (['default', 'change', 'always'] as const).find((one) => one === report);
  const number = (column: 'min_interval' | 'max_interval'): object => {
    const value = Number(ofGroup[column]);
    return ofGroup[column] !== undefined && Number.isInteger(value) ? { [column]: value } : {};
  };
  return {
    name: group,
    interval,
    tags: [],
    ...(known !== undefined && { report: known }),
    ...number('min_interval'),
    ...number('max_interval'),
  };
}
