import { apiFiles, pluginFiles, type SchemaFile } from './generated/files.ts';
import type { ApiTypes } from './generated/api.ts';
import type { PluginTypes } from './generated/plugin.ts';

/** A definition of schemas/api or schemas/plugin. */
export type DefinitionName = keyof ApiTypes | keyof PluginTypes;

/** A parsed file of definitions. */
interface Schemas {
  readonly $id: string;
  readonly $defs: Readonly<Record<string, object>>;
}

const files = [...apiFiles, ...pluginFiles];
const fileById = new Map(files.map((file) => [file.id, file]));
const fileByName = new Map(files.flatMap((file) => file.names.map((name) => [name, file] as const)));
/** As objects the schemas take ten times the memory of their text, and few gateways ever need them all. */
const parsed = new Map<SchemaFile, Schemas>();

function parse(file: SchemaFile): Schemas {
  let schemas = parsed.get(file);
  if (schemas === undefined) parsed.set(file, (schemas = JSON.parse(file.text) as Schemas));
  return schemas;
}

function fileOf(name: string): SchemaFile {
  const file = fileByName.get(name);
  if (file === undefined) throw new Error(`No file of @tagway/schemas defines ${name}.`);
  return file;
}

/** The JSON Schema of a definition. What it refers to is in its own file or in one that the reference names. */
export function definitionOf(name: DefinitionName): object {
  return parse(fileOf(name)).$defs[name] ?? {};
}

/** The definition that a reference of any file leads to: they have one name in all files. */
export function definitionAt(reference: string): object {
  return definitionOf(reference.slice(reference.lastIndexOf('/') + 1) as DefinitionName);
}

/** The names of all definitions of the API. */
export const apiDefinitionNames = apiFiles.flatMap(({ names }) => names) as readonly (keyof ApiTypes)[];

/** Where a check finds a definition, from outside of all files. */
export function referenceTo(name: DefinitionName): string {
  return `${fileOf(name).id}#/$defs/${name}`;
}

/** The file of a definition, and all that its references lead to. */
export function filesFor(name: DefinitionName): Schemas[] {
  const needed = new Set([fileOf(name)]);
  // A set goes on to what is added to it on the way.
  for (const { uses } of needed) {
    for (const id of uses) {
      const used = fileById.get(id);
      if (used !== undefined) needed.add(used);
    }
  }
  return [...needed].map(parse);
}
