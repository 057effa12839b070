import {
  Attribute,
  type GroupPace,
  Limits,
  reportingProblem,
  type TagInput,
  dataTypeName,
} from '@tagway/schemas';
import type { TagRules } from '../api/tag-rules.ts';

/** A column of a file that says something of the group of a tag. */
export type GroupField = 'group' | 'interval' | keyof GroupPace;

/** A field of a tag, which is also the name of its column in a file. */
export type TagField =
  | GroupField
  | 'name'
  | 'address'
  | 'attribute'
  | 'type'
  | 'description'
  | 'decimal'
  | 'precision'
  | 'bias'
  | 'deadband'
  | 'unit'
  | 'low'
  | 'high'
  | 'value';

export type Rule =
  | 'missing'
  | 'long'
  | 'double'
  | 'taken'
  | 'type'
  | 'typeUnsupported'
  | 'attribute'
  | 'address'
  | 'number'
  | 'precision'
  | 'interval'
  | 'staticValue'
  | 'noValue'
  | 'deadband'
  | 'span'
  | 'report'
  | 'pace';

export interface Problem {
  readonly field: TagField;
  readonly value: string;
  /** The key of the problem's text. */
  readonly rule: Rule;
  /** The limit or the type that the text names. */
  readonly limit: string;
}

const encoder = new TextEncoder();
// A character takes at most three bytes, so a short text need not be encoded.
const isLongerThan = (text: string, limit: number): boolean =>
  text.length * 3 > limit && encoder.encode(text).length > limit;

/** The problems of a tag by itself. The gateway checks again before it saves. */
export function tagProblems(tag: TagInput, { addresses, longestAddress }: TagRules): Problem[] {
  const problems: Problem[] = [];
  const add = (field: TagField, value: unknown, rule: Rule, limit: string | number = ''): void => {
    problems.push({ field, value: String(value), rule, limit: String(limit) });
  };
  if (tag.name === '') add('name', '', 'missing');
  else if (isLongerThan(tag.name, Limits.tagName)) add('name', tag.name, 'long', Limits.tagName);
  const { description = '', precision = 0 } = tag;
  if (isLongerThan(description, Limits.tagDescription)) {
    add('description', description, 'long', Limits.tagDescription);
  }
  const isStatic = (tag.attribute & Attribute.STATIC) !== 0;
  if (!Number.isInteger(tag.attribute) || tag.attribute < 0 || tag.attribute > 15) {
    add('attribute', tag.attribute, 'attribute');
  }
  if (isStatic) {
    if (tag.value === undefined) add('value', '', 'staticValue');
  } else {
    if (tag.value !== undefined) add('value', tag.value, 'noValue');
    const pattern = addresses?.get(tag.type);
    if (addresses !== undefined && pattern === undefined) {
      add('type', dataTypeName(tag.type), 'typeUnsupported');
    } else if (tag.address === '') add('address', '', 'missing');
    else if (isLongerThan(tag.address, longestAddress)) {
      add('address', tag.address, 'long', longestAddress);
    } else if (pattern?.test(tag.address) === false) {
      add('address', tag.address, 'address', dataTypeName(tag.type));
    }
  }
  if (!Number.isInteger(precision) || precision < 0 || precision > Limits.precision) {
    add('precision', precision, 'precision', Limits.precision);
  }
  const found = reportingProblem(tag);
  if (found?.field === 'unit') add('unit', tag.unit, 'long', Limits.tagUnit);
  else if (found?.field === 'deadband') add('deadband', tag.deadband, 'deadband');
  else if (found !== undefined) add(found.field, tag[found.field] ?? '', 'span');
  return problems;
}
