import { Attribute, type TagInput, type TagRecord, dataTypeName } from '@tagway/schemas';
import { typeFrom } from '../values/data-types.ts';
import { valueText } from '../values/value-text.ts';
import { writtenValue } from '../values/written-value.ts';
import type { GroupField, Problem, Rule, TagField } from './tag-problems.ts';

/** The fields of a tag as texts, in a form or in a file. */
export type TagText = Readonly<Record<Exclude<TagField, GroupField>, string>>;

const words = { READ: 'Read', WRITE: 'Write', SUBSCRIBE: 'Subscribe', STATIC: 'Static' } as const;
export const attributeNames = Object.keys(words) as (keyof typeof words)[];

/** An attribute as the family's files have it: `Read Write`. */
export const attributeText = (attribute: number): string =>
  attributeNames
    .filter((name) => (attribute & Attribute[name]) !== 0)
    .map((name) => words[name])
    .join(' ');

/** An attribute from its words, in any case and order, or from its number. */
export function attributeFrom(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^[0-9]{1,2}$/.test(trimmed)) return Number(trimmed) <= 15 ? Number(trimmed) : undefined;
  const parts = trimmed
    .toUpperCase()
    .split(/[\s,;|+/]+/)
    .filter(Boolean);
  let attribute = 0;
  for (const part of parts) {
    const name = attributeNames.find((known) => known === part);
    if (name === undefined) return undefined;
    attribute |= Attribute[name];
  }
  return parts.length === 0 ? undefined : attribute;
}

/** A number with a point or a comma; 0 for an empty text, undefined for a text that is not a number. */
export function numberFrom(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  const plain = /^[+-]?[0-9]*,[0-9]+$/.test(trimmed) ? trimmed.replace(',', '.') : trimmed;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

export function textOf(tag: TagRecord): TagText {
  return {
    name: tag.name,
    address: tag.address,
    attribute: attributeText(tag.attribute),
    type: dataTypeName(tag.type),
    description: tag.description,
    decimal: String(tag.decimal),
    precision: String(tag.precision),
    bias: String(tag.bias),
    deadband: String(tag.deadband ?? ''),
    unit: tag.unit ?? '',
    low: String(tag.low ?? ''),
    high: String(tag.high ?? ''),
    value: valueText(tag.value, tag.type, Array.isArray(tag.value) ? 'hex' : 'decimal'),
  };
}

/** A tag from its texts, with the problems of texts that cannot be parsed; these fields have their defaults. */
export function tagFrom(text: TagText): { readonly tag: TagInput; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const fail = (field: keyof TagText, rule: Rule, limit = ''): void => {
    problems.push({ field, value: text[field], rule, limit });
  };
  const type = typeFrom(text.type);
  if (type === undefined) fail('type', text.type === '' ? 'missing' : 'type');
  const attribute = attributeFrom(text.attribute);
  if (attribute === undefined) fail('attribute', text.attribute === '' ? 'missing' : 'attribute');
  const numbers = { decimal: 0, precision: 0, bias: 0 };
  for (const field of ['decimal', 'precision', 'bias'] as const) {
    const value = numberFrom(text[field]);
    if (value === undefined) fail(field, 'number');
    else numbers[field] = value;
  }
  const deadband = text.deadband.trim();
  const span: { low?: number; high?: number } = {};
  for (const field of ['low', 'high'] as const) {
    if (text[field].trim() === '') continue;
    const end = numberFrom(text[field]);
    if (end === undefined) fail(field, 'number');
    else span[field] = end;
  }
  let value: TagInput['value'];
  if (text.value !== '' && type !== undefined) {
    const written = writtenValue(text.value, { type, decimal: 0, bias: 0 });
    if ('value' in written) ({ value } = written);
    else fail('value', 'staticValue', written.limit);
  }
  const tag = {
    name: text.name,
    address: text.address.trim(),
    description: text.description,
    attribute: attribute ?? 1,
    type: type ?? 3,
    ...numbers,
    // A text that is no number is for the gateway to judge: a percentage is one.
    ...(deadband !== '' && { deadband: numberFrom(deadband) ?? deadband }),
    ...(text.unit !== '' && { unit: text.unit }),
    ...span,
    ...(value !== undefined && { value }),
  };
  return { tag, problems };
}
