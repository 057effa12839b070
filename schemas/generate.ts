/**
 * Writes src/generated/*.ts: the TypeScript types of the JSON Schemas in api/ and plugin/, one file per folder, and files.ts, which holds the
 * schemas as text. With --check it writes nothing and fails when a file is not what the schemas give.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { compile, type JSONSchema } from 'json-schema-to-typescript';

interface SchemaFile {
  readonly $id: string;
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

/** The schemas of a folder as text, each file with the definitions that it holds and the files that it refers to. */
async function textsOf(folder: 'api' | 'plugin'): Promise<string> {
  const files: string[] = [];
  for (const file of (await readdir(new URL(`${folder}/`, import.meta.url))).sort()) {
    const schema = JSON.parse(
      await readFile(new URL(`${folder}/${file}`, import.meta.url), 'utf8'),
    ) as SchemaFile;
    const text = JSON.stringify(schema);
    const uses = new Set(Array.from(text.matchAll(/"\$ref":"([a-z-]+\.json)#/g), ([, id]) => id));
    const literal = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
    files.push(
      `  { id: '${schema.$id}', names: ${JSON.stringify(Object.keys(schema.$defs))}, uses: ${JSON.stringify([...uses])}, text: '${literal}' },\n`,
    );
  }
  return `export const ${folder}Files: readonly SchemaFile[] = [\n${files.join('')}];\n`;
}

async function allTexts(): Promise<string> {
  return `/** Generated from schemas/api/*.json and schemas/plugin/*.json by generate.ts: change those. */

/** A file of JSON Schemas: its $id, the names of its definitions, the $id of each file that it refers to, and all of it as JSON. */
export interface SchemaFile {
  readonly id: string;
  readonly names: readonly string[];
  readonly uses: readonly string[];
  readonly text: string;
}

${await textsOf('api')}
${await textsOf('plugin')}`;
}

const check = process.argv.includes('--check');
const generated = {
  api: await typesOf('api'),
  plugin: await typesOf('plugin'),
  files: await allTexts(),
};
for (const [name, code] of Object.entries(generated)) {
  const target = new URL(`src/generated/${name}.ts`, import.meta.url);
  if (!check) {
    await writeFile(target, code);
  } else if ((await readFile(target, 'utf8').catch(() => '')) !== code) {
    console.error(
      `schemas/src/generated/${name}.ts is not what schemas/api/*.json and schemas/plugin/*.json give. Run: node schemas/generate.ts`,
    );
    process.exitCode = 1;
  }
}
