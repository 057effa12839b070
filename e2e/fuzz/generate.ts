/** A JSON Schema, as far as the definitions of the API use it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

/** A whole number from 0 to below the bound. */
export type Pick = (below: number) => number;

export type Definitions = Readonly<Record<string, Schema>>;

/** Names of things that are there, of things that are not, and other texts that a member may hold. */
const texts = [
  ...['plant', 'plant', 'line', 'line', 'word', 'north', 'template', 'Modbus TCP', 'MQTT', 'admin', 'single'],
  ...['absent', 'absent', 'other', '', '1!400001', '1!300002', 'nonsense', 'debug', 'error'],
  ...['127.0.0.1', '0', '1', 'true', 'null', '2025-01-01 00:00:00'],
];

export const oneOf = <T>(values: readonly T[], pick: Pick): T => values[pick(values.length)] as T;

/** A value that a schema mostly allows. Optional members come and go. */
export function valueOf(schema: Schema, definitions: Definitions, pick: Pick, depth = 0): unknown {
  if (depth > 8) return null;
  const again = (inner: Schema): unknown => valueOf(inner, definitions, pick, depth + 1);
  if (schema.$ref !== undefined) return again(definitions[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return oneOf(schema.enum, pick);
  const choices = schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined);
  if (choices !== undefined) return again(oneOf(choices, pick));
  const types = [schema.type ?? (schema.properties === undefined ? 'any' : 'object')].flat();
  switch (oneOf(types, pick)) {
    case 'object':
      return objectOf(schema, again, pick);
    case 'array':
      return Array.from({ length: pick(4) }, () => again(schema.items ?? {}));
    case 'string':
      return oneOf(texts, pick);
    case 'integer':
      return oneOf([0, 1, 2, 3, 8, 9, 100, 1000, 60_000, -1, 65_535], pick);
    case 'number':
      return oneOf([0, 1, 0.1, -1.5, 1000], pick);
    case 'boolean':
      return pick(2) === 0;
    case 'null':
      return null;
    default:
      return oneOf([1, 0.5, 'text', true, [1, 2]], pick);
  }
}

function objectOf(schema: Schema, again: (inner: Schema) => unknown, pick: Pick): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const parts = [schema, ...(schema.allOf ?? [])];
  for (const { properties = {}, required = [] } of parts) {
    for (const [name, inner] of Object.entries(properties)) {
      if (required.includes(name) || pick(2) === 0) value[name] = again(inner);
    }
  }
  return value;
}

/** JSON text that is put in as it stands: what `JSON.stringify` would not write. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON text of a value that may hold `Raw`. */
export function textOf(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${textOf(member)}`);
  return `{${members.join(',')}}`;
}

/** Texts that programs stumble over. */
export function oddText(pick: Pick): unknown {
  return oneOf<() => unknown>(
    [
      () => '\u0000',
      () => '\u202e\ufeff\ud83d\ude00',
      () => new Raw('"\\ud800"'),
      () => 'ﷺ'.repeat(1 + pick(200)),
      () => 'x'.repeat(oneOf([127, 128, 255, 65_536], pick)),
      () => '../../../../etc/passwd',
      () => "'; DROP TABLE keyv; --",
      () => '%00%ff%s%n{}[]$',
      () => '__proto__',
      () => 'constructor',
      () => '\n\r\t\\"',
      () => '1e999',
    ],
    pick,
  )();
}

export function oddNumber(pick: Pick): unknown {
  const numbers = ['1e400', '-1e400', '1e-400', '-0', '9007199254740993', '18446744073709551616'];
  const others = ['-1', '0.1', '1E5', '9'.repeat(1 + pick(400)), '2147483648', '4294967296'];
  return new Raw(oneOf([...numbers, ...others], pick));
}

/** A value of any kind. */
export function oddValue(pick: Pick): unknown {
  const deep = 1 + pick(pick(20) === 0 ? 20_000 : 40);
  return oneOf<() => unknown>(
    [
      () => oddText(pick),
      () => oddNumber(pick),
      () => null,
      () => true,
      () => [],
      () => ({}),
      () => [null, [], {}],
      () => new Raw('['.repeat(deep) + ']'.repeat(deep)),
      () => new Raw('{"a":'.repeat(deep) + '1' + '}'.repeat(deep)),
      () => new Raw('{"__proto__":{"node":"plant","name":"plant"},"constructor":{"prototype":{"a":1}}}'),
    ],
    pick,
  )();
}
