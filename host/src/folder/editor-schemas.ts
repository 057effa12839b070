import { definitionOf } from '@tagway/schemas/validate';
import type { PluginFacts } from './resolve.ts';

/** What the files of a folder refer to, by names that all of them have in common. */
const parts = [
  'FileNodeName',
  'FilePlugin',
  'FileStopped',
  'FileSettings',
  'FileSubscription',
  'FileGroup',
  'FileTag',
] as const;

const files = {
  gateway: 'GatewayFile',
  driver: 'DriverFile',
  app: 'AppFile',
  template: 'TemplateFile',
  vars: 'VarsFile',
} as const;

/** Of what an editor completes. */
export type SchemaName = keyof typeof files;

/** The folder of the schemas below that of the configuration. */
export const schemaFolder = '.schemas';

const variable = {
  type: 'object',
  description: 'Stands for a variable of the gateway, of vars/, or of the item of a loop.',
  properties: { var: { type: 'string', description: 'The name of the variable.' } },
  required: ['var'],
  additionalProperties: false,
} as const;

const loop = {
  type: 'string',
  description: 'The name of a list: this is there once for each item, whose fields are variables.',
} as const;

/** What may be there once for each item of a list. */
const loops: ReadonlySet<string> = new Set([
  ...['DriverFile', 'AppFile', 'TemplateFile', 'FileSubscription', 'FileGroup', 'FileTag'],
]);

const reference = {
  type: 'object',
  description: 'Stands for a value that this file does not have.',
  properties: {
    secret: { type: 'string', description: 'A file in the folder of --secrets, or what the gateway keeps.' },
    file: { type: 'string', description: 'A file below the folder of this configuration.' },
    env: { type: 'string', pattern: '^TAGWAY_SECRET_', description: 'A variable of the environment.' },
    var: variable.properties.var,
  },
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
} as const;

/** The JSON Schemas by which editors complete and check the files of a folder, by the names of their files. */
export function editorSchemas(plugins: readonly PluginFacts[]): Map<string, string> {
  return new Map(
    (Object.keys(files) as SchemaName[]).map((name) => [
      `${schemaFolder}/${name}.json`,
      `${JSON.stringify(schemaOf(name, plugins), withoutOurs, 1)}\n`,
    ]),
  );
}

function schemaOf(name: SchemaName, plugins: readonly PluginFacts[]): object {
  const own = plugins.filter(({ isApp }) => isApp === (name === 'app'));
  const definition = withVariables(files[name]) as { readonly properties: object };
  const isOfPlugin = name !== 'gateway' && name !== 'vars';
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...definition,
    ...(isOfPlugin && {
      properties: {
        ...definition.properties,
        plugin: { ...definitionOf('FilePlugin'), enum: own.map((plugin) => plugin.name) },
      },
    }),
    ...((name === 'driver' || name === 'app') && { allOf: own.map(settingsOf) }),
    $defs: {
      ...Object.fromEntries(parts.map((part) => [part, withVariables(part)])),
      Reference: reference,
      Variable: variable,
    },
  };
}

type Definition = Parameters<typeof definitionOf>[0];

interface SchemaPart {
  readonly type?: unknown;
  readonly $ref?: unknown;
  readonly description?: unknown;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
}

/** A definition whose texts and numbers may be variables. */
function withVariables(name: Definition): object {
  const definition = definitionOf(name) as SchemaPart;
  // What is a variable of variables is in the values of its file, which are not described.
  if (name === 'GatewayFile' || name === 'VarsFile') return definition;
  if (definition.properties === undefined)
    return name === 'FileSettings' ? definition : orVariable(definition);
  return {
    ...definition,
    properties: {
      ...(loops.has(name) && { each: loop }),
      ...Object.fromEntries(
        Object.entries(definition.properties).map(([member, part]) => [member, orVariable(part)]),
      ),
    },
  };
}

function orVariable(part: SchemaPart): object {
  const { description, ...rest } = part;
  if (part.$ref !== undefined || part.type === 'array' || part.type === 'object') return part;
  return { description, anyOf: [rest, { $ref: '#/$defs/Variable' }] };
}

/** Settings by the schema of their plugin; any of them may be a reference. */
function settingsOf({ name, settingsSchema }: PluginFacts): object {
  return {
    if: { properties: { plugin: { const: name } }, required: ['plugin'] },
    then: { properties: { settings: referable(settingsSchema) } },
  };
}

interface SettingsPart {
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: unknown;
  readonly allOf?: readonly { readonly if: unknown; readonly then: SettingsPart }[];
}

function referable({ properties = {}, required, allOf }: SettingsPart): object {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, { title, description, default: value, ...rest }]) => [
        name,
        {
          title,
          description,
          default: value,
          ...(Object.keys(rest).length > 0 && { anyOf: [rest, { $ref: '#/$defs/Reference' }] }),
        },
      ]),
    ),
    required,
    allOf: allOf?.map(({ if: condition, then }) => ({ if: condition, then: referable(then) })),
  };
}

/** What is of forms and of our types, which editors do not know. */
function withoutOurs(key: string, value: unknown): unknown {
  return key.startsWith('x-') || key === 'tsType' ? undefined : value;
}
