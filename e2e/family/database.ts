import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** As a gateway of the family, 2.11, exports its whole configuration. */
export interface FamilyExport {
  readonly nodes: readonly { readonly name: string; readonly plugin: string }[];
  readonly groups: readonly {
    readonly driver: string;
    readonly group: string;
    readonly tag_count: number;
    readonly interval: number;
  }[];
  readonly tags: readonly {
    readonly driver: string;
    readonly group: string;
    readonly tags: readonly FamilyTag[];
  }[];
  readonly subscriptions: readonly {
    readonly app: string;
    readonly groups: readonly { readonly driver: string; readonly group: string; readonly params?: object }[];
  }[];
  readonly settings: readonly { readonly node: string; readonly params: object }[];
}

export interface FamilyTag {
  readonly name: string;
  readonly address: string;
  readonly attribute: number;
  readonly type: number;
  readonly precision: number;
  readonly decimal: number;
  readonly bias: number;
  readonly description: string;
}

/** A file of the samples, whose values are those that such a gateway gave. */
export function sample(name: 'export.json' | 'export-drivers.json'): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

export const familyExport = JSON.parse(sample('export.json')) as FamilyExport;

/** The tables of release 2.11 that hold a configuration. */
const tables = `
  CREATE TABLE migrations (migration_id INTEGER PRIMARY KEY, version TEXT NOT NULL UNIQUE, description TEXT NOT NULL,
    dirty INTEGER NOT NULL, created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
  CREATE TABLE users (name TEXT PRIMARY KEY, password TEXT NOT NULL);
  CREATE TABLE nodes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, state INTEGER NOT NULL, plugin_name TEXT NOT NULL);
  CREATE TABLE settings (node_name TEXT NOT NULL UNIQUE, setting TEXT NOT NULL);
  CREATE TABLE groups (driver_name TEXT NOT NULL, name TEXT NULL, interval INTEGER NOT NULL CHECK (interval >= 100), context TEXT,
    UNIQUE (driver_name, name));
  CREATE TABLE tags (driver_name TEXT NOT NULL, group_name TEXT NOT NULL, name TEXT, address TEXT, attribute INTEGER NOT NULL,
    precision INTEGER NOT NULL, decimal REAL NOT NULL, bias REAL NOT NULL, type INTEGER NOT NULL, description TEXT, value TEXT,
    format TEXT, UNIQUE (driver_name, group_name, name));
  CREATE TABLE subscriptions (app_name TEXT NOT NULL, driver_name TEXT NOT NULL, group_name TEXT NOT NULL, params TEXT,
    static_tags TEXT, UNIQUE (app_name, driver_name, group_name));
  CREATE TABLE templates (name TEXT PRIMARY KEY, plugin_name TEXT NOT NULL);
  CREATE TABLE template_groups (tmpl_name TEXT NOT NULL, name TEXT, interval INTEGER NOT NULL, UNIQUE (tmpl_name, name));
  CREATE TABLE template_tags (tmpl_name TEXT NOT NULL, group_name TEXT NOT NULL, name TEXT, address TEXT, attribute INTEGER NOT NULL,
    precision INTEGER NOT NULL, decimal REAL NOT NULL, type INTEGER NOT NULL, description TEXT, value TEXT);
  INSERT INTO migrations (version, description, dirty) VALUES ('0000', '2.2.0_initial', 0), ('0112', '2.12.0_array', 0);
  INSERT INTO users VALUES ('admin', '$5$salt$hash');`;

/** Writes a database as such a gateway has it, with the configuration of the sample; `boiler` is stopped. */
export function writeDatabase(file: string, more = ''): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; ${tables} BEGIN`);
  const { nodes, groups, tags, subscriptions, settings } = familyExport;
  const apps = new Set(subscriptions.map(({ app }) => app));
  const add = (table: string, ...values: (string | number | null)[]): void => {
    database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
  };
  for (const { name, plugin } of nodes)
    add('nodes', name, apps.has(name) ? 2 : 1, name === 'boiler' ? 4 : 3, plugin);
  for (const { node, params } of settings) add('settings', node, JSON.stringify({ params }));
  for (const { driver, group, interval } of groups) add('groups', driver, group, interval, null);
  for (const { driver, group, tags: all } of tags) {
    for (const { name, address, attribute, precision, decimal, bias, type, description } of all)
      add(
        'tags',
        driver,
        group,
        name,
        address,
        attribute,
        precision,
        decimal,
        bias,
        type,
        description,
        null,
        null,
      );
  }
  for (const { app, groups: all } of subscriptions) {
    for (const { driver, group, params } of all)
      add('subscriptions', app, driver, group, params ? JSON.stringify({ params }) : null, null);
  }
  database.exec('COMMIT');
  database.exec(more);
  database.close();
}
