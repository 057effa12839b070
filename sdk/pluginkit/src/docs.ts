import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.ts';
import { type Library, readLibrary } from './library.ts';
import { addressesTable, settingsTable } from './markdown-tables.ts';

/** The tables that are generated in a README between `<!-- pluginkit: name -->` and `<!-- /pluginkit -->`. */
const tables: Readonly<Record<string, (library: Library) => string>> = {
  settings: ({ schema }) => settingsTable(schema),
  addresses: ({ manifest }) => addressesTable(manifest),
};

const block = /(<!-- pluginkit: ([a-z]+) -->\n)[^]*?(<!-- \/pluginkit -->)/g;

/** A README with its tables as manifest and schema give them now. Throws a failure for marks that are not understood. */
export function withTables(readme: string, library: Library): string {
  const marks = readme.match(/<!-- pluginkit: /g)?.length ?? 0;
  if (marks !== [...readme.matchAll(block)].length || marks === 0)
    throw new Failure(
      'README.md has no place for tables, or one without an end: put <!-- pluginkit: settings --> and <!-- /pluginkit --> ' +
        'around each, on lines of their own.',
    );
  return readme.replace(block, (_, begin: string, name: string, end: string) => {
    const make = tables[name];
    if (make === undefined)
      throw new Failure(
        `README.md asks for a table "${name}"; there are: ${Object.keys(tables).join(', ')}.`,
      );
    return `${begin}\n${make(library)}\n\n${end}`;
  });
}

/** Writes the tables of settings and addresses into README.md. With `isCheck` it changes nothing and fails when they are stale. */
export function docs(folder: string, isCheck = false): void {
  const file = join(folder, 'README.md');
  const readme = readFileSync(file, 'utf8');
  const fresh = withTables(readme, readLibrary(folder));
  if (fresh === readme) return;
  if (isCheck)
    throw new Failure(
      'README.md: its tables are not those of plugin.json and the settings. Run: pluginkit docs',
    );
  writeFileSync(file, fresh);
}
