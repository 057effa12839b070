import type { JSONSchema } from 'json-schema-to-typescript';
import { compile } from 'json-schema-to-typescript';

interface Schema {
  readonly properties: Readonly<Record<string, Setting>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly {
    readonly then: { readonly properties?: Readonly<Record<string, Setting>> };
  }[];
}

interface Setting {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly number[];
  readonly oneOf?: readonly { readonly const: unknown }[];
}

/**
 * The TypeScript interface of a plugin's settings as it gets them: defaults are filled in, so a setting that has one is always
 * there, and one that only some settings bring is optional.
 */
export async function settingsTypes(schema: object): Promise<string> {
  const { properties, required = [], allOf = [] } = schema as Schema;
  const settings: Record<string, Setting> = { ...properties };
  for (const { then } of allOf) {
    for (const [name, setting] of Object.entries(then.properties ?? {})) {
      settings[name] = { ...setting, ...settings[name] };
    }
  }
  const always = Object.keys(properties).filter(
    (name) => required.includes(name) || properties[name]?.default !== undefined,
  );
  const flat = {
    type: 'object',
    description: 'Settings of a node, validated and with their defaults filled in.',
    properties: Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => [name, typeOf(setting)]),
    ),
    required: always,
    additionalProperties: false,
  } as JSONSchema;
  return compile(flat, 'Settings', {
    bannerComment: '/** Generated from settings.schema.json by `pluginkit build`: change that. */',
    additionalProperties: false,
    style: { singleQuote: true, printWidth: 110, trailingComma: 'all' },
  });
}

/** The keywords that a type can express: titles would become names of types, and limits have no type. */
function typeOf({ type, description, enum: numbers, oneOf }: Setting): object {
  const choices = numbers ?? oneOf?.map((choice) => choice.const);
  return { ...(choices === undefined ? { type } : { enum: choices }), description };
}
