/**
 * Writes src/generated/*.ts, the TypeScript types of the JSON Schemas in api/ and plugin/, one file per folder.
 * With --check it writes nothing and fails when a file is not what the schemas give.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { compile, type JSONSchema } from 'json-schema-to-typescript';

interface SchemaFile {
  readonly $defs: Record<string, JSONSchema>;
}

const formatting = {
  singleQuote: true,
  printWidth: 110,
  bracketSpacing: true,
  trailingComma: 'all',
} as const;

/** A reviver that drops what TypeScript cannot say: that one of several optional properties must be there. */
function sayable(key: string, value: unknown): unknown {
  return key === 'anyOf' ? undefined : value;
}

/** The types of all definitions of a folder, and one interface that maps each definition's name to its type. */
async function typesOf(folder: 'api' | 'plugin'): Promise<string> {
  const $defs: Record<string, JSONSchema> = {};
  for (const file of (await readdir(new URL(`${folder}/`, import.meta.url))).sort()) {
    const text = await readFile(new URL(`${folder}/${file}`, import.meta.url), 'utf8');
    const schema = JSON.parse(
      text.replaceAll(/"[a-z-]+\.json#\/\$defs\//g, '"#/$defs/'),
      sayable,
    ) as SchemaFile;
    for (const [name, definition] of Object.entries(schema.$defs)) {
      if (name in $defs)
        throw new Error(`${folder}/${file} defines ${name}, which another file defines too.`);
      $defs[name] = definition;
    }
  }
  const names = Object.keys($defs);
  const root: JSONSchema = {
    description: `Every definition of schemas/${folder} by its name.`,
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    required: names,
    additionalProperties: false,
    $defs,
  };
  return await compile(root, folder === 'api' ? 'ApiTypes' : 'PluginTypes', {
    bannerComment: `/** Generated from schemas/${folder}/*.json by generate.ts: change those. */`,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    style: formatting,
  });
}

const check = process.argv.includes('--check');
for (const folder of ['api', 'plugin'] as const) {
  const target = new URL(`src/generated/${folder}.ts`, import.meta.url);
  const types = await typesOf(folder);
  if (!check) {
    await writeFile(target, types);
  } else if ((await readFile(target, 'utf8').catch(() => '')) !== types) {
    console.error(
      `schemas/src/generated/${folder}.ts is not what schemas/${folder}/*.json give. Run: node schemas/generate.ts`,
    );
    process.exitCode = 1;
  }
}
