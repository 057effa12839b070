import { DataType, type Manifest } from '@tagway/schemas';

/** The parts of a setting that a table shows. */
interface Setting {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly { readonly const: unknown; readonly title?: string }[];
  readonly contentEncoding?: string;
  readonly writeOnly?: boolean;
}

interface Settings {
  readonly properties?: Readonly<Record<string, Setting>>;
  readonly required?: readonly string[];
}

/** A settings schema, whose conditions each look at one setting. */
interface Schema extends Settings {
  readonly allOf?: readonly {
    readonly if: { readonly properties: Readonly<Record<string, { readonly const?: unknown }>> };
    readonly then: Settings;
  }[];
}

/** The settings of a plugin as a table, with those that depend on another one below a line that says on what. */
export function settingsTable(schema: Schema): string {
  const { properties = {}, allOf = [] } = schema;
  const rows = rowsOf(schema, properties);
  for (const { if: when, then } of allOf) {
    const added = rowsOf(then, properties);
    if (added.length > 0) rows.push([`${conditionOf(when.properties)}:`, '', '', ''], ...added);
  }
  return table(['Setting', 'Values', 'Default', 'Meaning'], rows);
}

/** The types of a driver's tags and the patterns of their addresses as a table; types with the same patterns share a line. */
export function addressesTable({ tags }: Manifest): string {
  const patterns = new Map<number, string>();
  for (const { type, pattern } of tags?.addresses ?? [])
    patterns.set(type, [patterns.get(type), code(pattern)].filter((part) => part !== undefined).join(' or '));
  const types = new Map<string, string[]>();
  for (const [type, text] of patterns)
    types.set(text, [...(types.get(text) ?? []), `${nameOf(type)} (${type})`]);
  return table(
    ['Types', 'Address'],
    [...types].map(([text, names]) => [names.join(', '), text]),
  );
}

/** Where a condition names a setting of the plain ones to make it required, what is said of it there holds here too. */
function rowsOf(
  { properties = {}, required = [] }: Settings,
  all: Readonly<Record<string, Setting>>,
): string[][] {
  const names = [...new Set([...Object.keys(properties), ...required])];
  return names.map((name) => {
    const setting = { ...all[name], ...properties[name] };
    const { title = '', description = title } = setting;
    return [code(name), valuesOf(setting), defaultOf(setting, required.includes(name)), description];
  });
}

function conditionOf(properties: Readonly<Record<string, { readonly const?: unknown }>>): string {
  const parts = Object.entries(properties).map(([name, test]) => `${code(name)} ${String(test.const)}`);
  return `With ${parts.join(' and ')}`;
}

function valuesOf(setting: Setting): string {
  const { type, minimum, maximum, minLength = 0, maxLength } = setting;
  if (setting.oneOf !== undefined)
    return setting.oneOf.map((one) => [String(one.const), one.title ?? ''].join(' ').trim()).join(', ');
  if (setting.enum !== undefined) return setting.enum.map(String).join(', ');
  if (type === 'boolean') return 'true or false';
  if (type === 'string') {
    if (setting.contentEncoding === 'base64') return 'a file in base64';
    const length = maxLength === undefined ? '' : `, ${minLength} to ${maxLength} characters`;
    return `${setting.writeOnly === true ? 'a secret text' : 'text'}${length}`;
  }
  if (minimum !== undefined && maximum !== undefined)
    return `${minimum} to ${maximum}${typeof type === 'object' ? ', also as text' : ''}`;
  if (minimum !== undefined) return `${minimum} or more`;
  return maximum === undefined ? 'a number' : `up to ${maximum}`;
}

/** In brackets what forms propose for a setting that is required all the same. */
function defaultOf({ default: value }: Setting, isRequired: boolean): string {
  const text = value === '' ? 'empty' : code(String(value));
  if (!isRequired) return value === undefined ? '' : text;
  return value === undefined ? 'required' : `required (${text})`;
}

function nameOf(type: number): string {
  return Object.entries(DataType).find(([, number]) => number === type)?.[0] ?? String(type);
}

const code = (text: string): string => `\`${text}\``;

/** A table whose columns are as wide as their widest cell, as formatters of Markdown leave it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')),
  );
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [line(cells[0] ?? []), line(rule), ...cells.slice(1).map(line)].join('\n');
}
