import { open, readFile, stat } from 'node:fs/promises';
import type { ConfigBody, DriversBody } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { parseJson } from '@tagway/sdk/json';
import { readDatabase } from './database.ts';
import { fitTags } from './fitting.ts';
import { NotOfFamily, textOf } from './tables.ts';

/** Bytes. A gateway with a million tags is exported in less. */
const mostBytes = 512 << 20;

/** What the first bytes of every SQLite file are. */
const sqlite = Buffer.from('SQLite format 3\0');

/** What a file holds, and a sentence about each thing of it that is left out or changed. */
export type ImportedFile = { readonly notes: readonly string[] } & (
  | { readonly kind: 'config'; readonly body: ConfigBody }
  | { readonly kind: 'drivers'; readonly body: DriversBody }
);

/** A file cannot be imported; the message is for the operator. */
export class ImportError extends Error {}

/**
 * Reads an export of a whole configuration or of drivers, in JSON, or a database of the family of this API. The file stays as it is.
 * Rejects with `ImportError` for any other file.
 */
export async function readImport(file: string): Promise<ImportedFile> {
  try {
    const state = await stat(file);
    if (!state.isFile()) throw new NotOfFamily('it is not a file');
    if (state.size > mostBytes) throw new NotOfFamily(`it is larger than ${mostBytes >> 20} megabytes`);
    return fitted(await read(file));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ImportError(`The file ${file} cannot be imported, because ${reason.replace(/\.$/, '')}.`, {
      cause,
    });
  }
}

async function read(file: string): Promise<ImportedFile> {
  if (await isDatabase(file)) return { kind: 'config', ...(await readDatabase(file)) };
  const text = textOf(await readFile(file))?.replace(/^\uFEFF/, '');
  const value = text === undefined ? undefined : parsed(text);
  if (typeof value !== 'object' || value === null || !('nodes' in value)) {
    throw new NotOfFamily(
      'it is neither a database of a gateway nor an export in JSON, as GET /global/config and GET /global/drivers give one',
    );
  }
  const isConfig = ['groups', 'tags', 'subscriptions', 'settings'].some((list) => list in value);
  const problem = checkOf(isConfig ? 'ConfigBody' : 'DriversBody')(value);
  if (problem !== undefined) throw new NotOfFamily(`it is not as an export is: ${problem}`);
  return isConfig
    ? { kind: 'config', body: value as ConfigBody, notes: [] }
    : { kind: 'drivers', body: value as DriversBody, notes: [] };
}

async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(sqlite.length), 0, sqlite.length, 0);
    return buffer.equals(sqlite);
  } finally {
    await handle.close();
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The same with its tags as they can be taken. */
function fitted(file: ImportedFile): ImportedFile {
  const notes = [...file.notes];
  const fit = (given: Parameters<typeof fitTags>[0], place: string): ReturnType<typeof fitTags>['tags'] => {
    const { tags, notes: more } = fitTags(given, place);
    for (const note of more) notes.push(note);
    return tags;
  };
  if (file.kind === 'drivers') {
    const nodes = file.body.nodes.map((node) => ({
      ...node,
      ...(node.groups !== undefined && {
        groups: node.groups.map((group) => ({
          ...group,
          tags: fit(group.tags ?? [], `"${node.name}"/"${group.group ?? group.name}"`),
        })),
      }),
    }));
    return { kind: 'drivers', body: { nodes }, notes };
  }
  const { tags, templates, ...rest } = file.body;
  const body = {
    ...rest,
    tags: tags.map((one) => ({
      ...one,
      tags: fit(one.tags, `"${one.driver ?? one.node}"/"${one.group ?? one.name}"`),
    })),
    ...(templates !== undefined && {
      templates: templates.map((template) => ({
        ...template,
        groups: template.groups.map((group) => ({
          ...group,
          tags: fit(group.tags, `the template "${template.name}"/"${group.name}"`),
        })),
      })),
    }),
  };
  return { kind: 'config', body, notes };
}
