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
} as const;

/** Of what an editor completes. */
export type SchemaName = keyof typeof files;

/** The folder of the schemas below that of the configuration. */
export const schemaFolder = '.schemas';

const reference = {
  type: 'object',
  description: 'Stands for a value that this file does not have.',
  properties: {
    secret: { type: 'string', description: 'A file in the folder of --secrets, or what the gateway keeps.' },
    file: { type: 'string', description: 'A file below the folder of this configuration.' },
    env: { type: 'string', pattern: '^TAGWAY_SECRET_', description: 'A variable of the environment.' },
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
  const definition = definitionOf(files[name]) as { readonly properties: object };
  const isOfPlugin = name !== 'gateway';
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
      ...Object.fromEntries(parts.map((part) => [part, definitionOf(part)])),
      Reference: reference,
    },
  };
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
