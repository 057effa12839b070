/** A schema of the document, as far as the page and its examples look at it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export type Schemas = Readonly<Record<string, Schema>>;

/** Definitions within definitions that are followed. */
const deepest = 8;

/** Values of members of these names in examples, where their schema does not fix the value. */
const samples: Readonly<Record<string, unknown>> = {
  name: 'boiler',
  node: 'boiler',
  driver: 'boiler',
  app: 'uplink',
  group: 'fast',
  tag: 'temperature',
  new_name: 'boiler-2',
  old_name: 'temperature',
  template: 'boiler-type',
  user: 'operator',
  plugin: 'Modbus TCP',
  address: '1!400001',
  type: 9,
  attribute: 3,
  precision: 2,
  decimal: 0,
  bias: 0,
  value: 72.5,
  interval: 1000,
  error: 0,
  pass: '0000',
  password: '0000',
  old_pass: '0000',
  new_pass: 'secret',
  new_password: 'secret',
  level: 'info',
  page: 0,
  page_size: 200,
  description: 'Feed water',
  timestamp: 1_767_225_600_000,
  time: 1_767_225_600_000,
  dir_path: '/tmp',
  package: '@acme/tagway-meter',
  separator: '/',
  scope: '@acme',
  url: 'https://plugins.example/npm/',
  origins: ['https://files.example:8443'],
  library: 'acme-plc-1.2.0.tgz',
  params: { host: '127.0.0.1', port: 502, timeout: 3000 },
  currentPage: 1,
  pageSize: 100,
  total: 1,
  index: 1,
  rtt: 4,
  tag_count: 1,
  version: '0.1.0',
  message: 'Why, in one sentence.',
  text: 'Why, in one sentence.',
  code: 3000,
  log_level: 'notice',
};

/** Descriptions of older spellings of members, which examples leave out. */
const olderSpelling = /^(The older spelling|A spelling|An older form|The same, for clients)/;

/** Follows references and merges `allOf`. */
export function resolved(schema: Schema, all: Schemas): Schema {
  if (schema.$ref !== undefined) {
    const target = all[schema.$ref.split('/').at(-1) ?? ''] ?? {};
    return resolved(
      { ...target, ...(schema.description !== undefined && { description: schema.description }) },
      all,
    );
  }
  if (schema.allOf === undefined) return schema;
  const { allOf, ...rest } = schema;
  const parts = [...allOf.map((part) => resolved(part, all)), rest];
  return {
    ...(Object.assign({}, ...parts.toReversed()) as Schema),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, Schema>,
    required: parts.flatMap(({ required = [] }) => required),
  };
}

/** A value that fits a schema, such as a request or a reply may be. */
export function exampleOf(schema: Schema, all: Schemas, name = '', depth = 0): unknown {
  const { type, properties, items, anyOf, enum: choices, const: only, examples } = resolved(schema, all);
  if (only !== undefined) return only;
  if (examples !== undefined) return examples[0];
  if (properties !== undefined && depth < deepest) {
    const members = Object.entries(properties).filter(
      ([, { description = '' }]) => !olderSpelling.test(description),
    );
    return Object.fromEntries(members.map(([key, member]) => [key, exampleOf(member, all, key, depth + 1)]));
  }
  if (items !== undefined && depth < deepest) return [exampleOf(items, all, singular(name), depth + 1)];
  const [first] = anyOf ?? [];
  if (first?.properties !== undefined && depth < deepest) return exampleOf(first, all, name, depth);
  const sample = samples[name];
  if (choices !== undefined) return choices.includes(sample) ? sample : choices[0];
  if (sample !== undefined) return sample;
  if (first !== undefined && depth < deepest) return exampleOf(first, all, name, depth + 1);
  return ofType([type].flat()[0]);
}

/** The members of `tags` are named as a tag is. */
function singular(name: string): string {
  return name.replace(/s$/, '');
}

function ofType(type: string | undefined): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'text';
  }
}
