import type { Descriptor, SchemaReply } from './generated/api.ts';
import type { Setting, SettingsSchema } from './generated/plugin.ts';
import { type Dialect, dialects } from './dialects.ts';

/** What the schema record of section 2.8 shows of a plugin, beside its settings. */
export interface SchemaSource {
  readonly settingsSchema: object;
  /** Milliseconds. */
  readonly groupInterval: number;
  readonly addresses: readonly {
    readonly type: number;
    readonly pattern: string;
    readonly examples?: readonly string[];
  }[];
}

/** How patterns of settings are written: as they are, or between slashes. */
type PatternStyle = Pick<Dialect, 'slashesPatterns'>;

/**
 * Projects a plugin's settings schema, which must fit the meta-schema of settings, to the schema record of section 2.8 of
 * the API. Settings come in the order of the schema; those that only a condition brings come last.
 */
export function schemaRecord(
  source: SchemaSource,
  style: PatternStyle = dialects.specification,
): SchemaReply {
  const schema = source.settingsSchema as SettingsSchema;
  const settings = new Map(Object.entries(schema.properties));
  const required = new Set(schema.required);
  const conditions = new Map<string, NonNullable<Descriptor['condition']>>();

  for (const { if: when, then } of schema.allOf ?? []) {
    const [field, test] = Object.entries(when.properties)[0] ?? [];
    if (field === undefined || test === undefined) continue;
    for (const [name, setting] of Object.entries(then.properties ?? {})) {
      settings.set(name, { ...settings.get(name), ...(setting as Partial<Setting>) } as Setting);
      conditions.set(name, { field, value: test.const });
    }
    for (const name of then.required ?? []) {
      required.add(name);
      conditions.set(name, { field, value: test.const });
    }
  }

  const record: SchemaReply = {
    tag_regex: source.addresses.map(({ type, pattern, examples = [] }) => ({
      type,
      regex: pattern,
      ...(examples.length > 0 && { examples: [...examples] }),
    })),
    group_interval: source.groupInterval,
  };
  for (const [name, setting] of settings) {
    record[name] = descriptor(setting, required.has(name), conditions.get(name), style);
  }
  return record;
}

function descriptor(
  setting: Setting,
  required: boolean,
  condition: Descriptor['condition'],
  style: PatternStyle,
): Descriptor {
  const { title, description, 'x-zh': chinese } = setting;
  return {
    name: title,
    name_zh: chinese?.title ?? title,
    description,
    description_zh: chinese?.description ?? description,
    attribute: required ? 'required' : 'optional',
    type: typeOf(setting),
    ...(setting.default === undefined ? {} : { default: setting.default }),
    valid: validOf(setting, style),
    ...(condition === undefined ? {} : { condition }),
  };
}

const typeNames = { integer: 'int', number: 'real', string: 'string', boolean: 'bool' } as const;

function typeOf(setting: Setting): Descriptor['type'] {
  if (setting.oneOf !== undefined) return 'map';
  if (setting.contentEncoding !== undefined) return 'file';
  return typeof setting.type === 'string' ? typeNames[setting.type] : 'int';
}

function validOf(setting: Setting, { slashesPatterns }: PatternStyle): Descriptor['valid'] {
  const valid: Descriptor['valid'] = {};
  if (setting.minimum !== undefined) valid.min = setting.minimum;
  if (setting.maximum !== undefined) valid.max = setting.maximum;
  // Limits of the text are none of the number.
  if (typeof setting.type !== 'string') return valid;
  if (setting.maxLength !== undefined) valid.length = setting.maxLength;
  if (setting.pattern !== undefined) {
    valid.regex = slashesPatterns ? `/${setting.pattern}/` : setting.pattern;
  }
  if (setting.enum !== undefined) valid.value = setting.enum;
  if (setting.oneOf !== undefined) {
    valid.map = setting.oneOf.map((choice) => ({ key: choice.title, value: choice.const }));
  }
  return valid;
}
