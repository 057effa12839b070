import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Attribute, type ConfigBody, type TagInput } from '@tagway/schemas';
import { parseJson } from '@tagway/sdk/json';
import { hasTable, NotOfFamily, rowsOf, textOf } from './tables.ts';

/** A configuration as an export has it, and a sentence about each thing of the file that is not in it. */
export interface DatabaseContent {
  readonly body: ConfigBody;
  readonly notes: readonly string[];
}

/**
 * Reads the configuration out of a database of the family of this API. The file itself is only copied: the other program may have left
 * it in any state of its journal, and reading the copy settles that. Rejects with `NotOfFamily` when the file is no such database.
 */
export async function readDatabase(file: string): Promise<DatabaseContent> {
  const folder = await mkdtemp(join(tmpdir(), 'tagway-import-'));
  try {
    const copy = join(folder, 'copy.db');
    await copyFile(file, copy);
    for (const part of ['-wal', '-journal']) {
      await copyFile(`${file}${part}`, `${copy}${part}`).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
    }
    return readCopy(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readCopy(file: string): DatabaseContent {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    // The file is not trusted: nothing that it defines may run, and damage must be found before it is read.
    database.exec(
      'PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints = ON',
    );
    const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok') throw new NotOfFamily(`it is damaged (${String(found)})`);
    return new Reader(database).read();
  } catch (error) {
    if (error instanceof NotOfFamily) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new NotOfFamily(`it cannot be read as a database (${reason})`, { cause: error });
  } finally {
    database?.close();
  }
}

const tagColumns = {
  group_name: 'text',
  name: 'text',
  address: 'text',
  attribute: 'integer',
  type: 'integer',
  precision: { kind: 'integer', otherwise: 0 },
  decimal: { kind: 'number', otherwise: 0 },
  bias: { kind: 'number', otherwise: 0 },
  description: 'bytes',
  value: 'bytes',
} as const;

class Reader {
  readonly #database: DatabaseSync;
  readonly #notes: string[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  read(): DatabaseContent {
    this.#checkMigrations();
    const nodes = rowsOf(this.#database, 'nodes', { name: 'text', state: 'integer', plugin_name: 'text' });
    const groups = rowsOf(this.#database, 'groups', {
      driver_name: 'text',
      name: 'text',
      interval: 'integer',
    });
    const body = {
      nodes: nodes.map(({ name, plugin_name: plugin, state }) => ({ name, plugin, ...runningOf(state) })),
      groups: groups.map(({ driver_name: driver, name: group, interval }) => ({ driver, group, interval })),
      tags: this.#tags(),
      subscriptions: this.#subscriptions(),
      settings: this.#settings(),
      ...this.#templates(),
    };
    this.#noteUsers();
    return { body, notes: this.#notes };
  }

  #checkMigrations(): void {
    const steps = rowsOf(this.#database, 'migrations', { version: 'text', dirty: 'integer' });
    const broken = steps.find(({ dirty }) => dirty !== 0);
    if (broken !== undefined)
      throw new NotOfFamily(
        `an upgrade of it to the version ${broken.version} broke off: let the program that it belongs to finish it first`,
      );
  }

  #tags(): ConfigBody['tags'] {
    const rows = rowsOf(this.#database, 'tags', { driver_name: 'text', ...tagColumns });
    const groups = Map.groupBy(rows, (row) => JSON.stringify([row.driver_name, row.group_name]));
    return [...groups.values()].flatMap((tags) => {
      const [{ driver_name: driver, group_name: group } = { driver_name: '', group_name: '' }] = tags;
      return [{ driver, group, tags: tags.flatMap((tag) => this.#tag(tag, `"${driver}"/"${group}"`)) }];
    });
  }

  #tag(
    row: Omit<TagInput, 'description' | 'value'> & {
      readonly description: Uint8Array | undefined;
      readonly value: Uint8Array | undefined;
    },
    place: string,
  ): TagInput[] {
    const { name, address, attribute, type, precision, decimal, bias } = row;
    const description = textOf(row.description ?? new Uint8Array());
    if (description === undefined)
      this.#notes.push(`The description of the tag "${name}" of ${place} is left out: it is not in UTF-8.`);
    const tag = { name, address, attribute, type, precision, decimal, bias, description: description ?? '' };
    if ((attribute & Attribute.STATIC) === 0) return [tag as TagInput];
    const value = row.value && jsonOf(row.value);
    if (value === undefined || value === null) {
      this.#notes.push(
        `The static tag "${name}" of ${place} is left out: its value is missing or not readable.`,
      );
      return [];
    }
    return [{ ...tag, value } as TagInput];
  }

  #settings(): ConfigBody['settings'] {
    return rowsOf(this.#database, 'settings', { node_name: 'text', setting: 'bytes' }).flatMap((row) => {
      const params = paramsOf(row.setting);
      if (params !== undefined) return [{ node: row.node_name, params }];
      this.#notes.push(
        `The settings of the node "${row.node_name}" are left out, because they are not readable: set the node up again.`,
      );
      return [];
    });
  }

  #subscriptions(): ConfigBody['subscriptions'] {
    const columns = {
      app_name: 'text',
      driver_name: 'text',
      group_name: 'text',
      params: 'bytes',
      static_tags: 'bytes',
    } as const;
    return rowsOf(this.#database, 'subscriptions', columns).map((row) => {
      const place = `of "${row.app_name}" to the group "${row.group_name}" of "${row.driver_name}"`;
      const route = { app: row.app_name, driver: row.driver_name, group: row.group_name };
      if (row.static_tags !== undefined && row.static_tags.length > 0)
        this.#notes.push(
          `The static tags of the subscription ${place} are left out: subscriptions have none here.`,
        );
      if (row.params === undefined || row.params.length === 0) return route;
      const params = paramsOf(row.params);
      if (params === undefined) {
        this.#notes.push(
          `The parameters of the subscription ${place} are left out, because they are not readable: it has the default topic. Set them again.`,
        );
      }
      return params === undefined || Object.keys(params).length === 0 ? route : { ...route, params };
    });
  }

  #templates(): Pick<ConfigBody, 'templates'> {
    const tables = ['templates', 'template_groups', 'template_tags'];
    if (!tables.every((table) => hasTable(this.#database, table))) return {};
    const templates = rowsOf(this.#database, 'templates', { name: 'text', plugin_name: 'text' });
    if (templates.length === 0) return {};
    const groups = rowsOf(this.#database, 'template_groups', {
      tmpl_name: 'text',
      name: 'text',
      interval: 'integer',
    });
    const tags = rowsOf(this.#database, 'template_tags', { tmpl_name: 'text', ...tagColumns });
    const groupsOf = Map.groupBy(groups, ({ tmpl_name: of }) => of);
    const tagsOf = Map.groupBy(tags, (tag) => JSON.stringify([tag.tmpl_name, tag.group_name]));
    return {
      templates: templates.map(({ name: template, plugin_name: plugin }) => ({
        name: template,
        plugin,
        groups: (groupsOf.get(template) ?? []).map(({ name, interval }) => ({
          name,
          interval,
          tags: (tagsOf.get(JSON.stringify([template, name])) ?? []).flatMap((tag) =>
            this.#tag(tag, `the template "${template}"/"${name}"`),
          ),
        })),
      })),
    };
  }

  #noteUsers(): void {
    if (!hasTable(this.#database, 'users')) return;
    const users = rowsOf(this.#database, 'users', { name: 'text' }).map(({ name }) => `"${name}"`);
    if (users.length === 0) return;
    this.#notes.push(
      `The users ${users.join(', ')} are left out, because their passwords cannot be taken over: add them with POST /users.`,
    );
  }
}

/** A node that was stopped stays so; every other starts once it has settings. */
function runningOf(state: number): { running?: 4 } {
  return state === 4 ? { running: 4 } : {};
}

function jsonOf(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** `{"params": {…}}`, or the parameters alone; undefined when it is neither. */
function paramsOf(bytes: Uint8Array | undefined): Record<string, unknown> | undefined {
  const value = bytes && jsonOf(bytes);
  if (!isObject(value)) return undefined;
  const { params, ...rest } = value;
  return isObject(params) && Object.keys(rest).length === 0 ? params : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
