import type { TagInput } from '@tagway/schemas';
import type { TagRules } from '../api/tag-rules.ts';
import { tagProblems, type Problem } from './tag-problems.ts';
import { attributeFrom, attributeText, numberFrom, tagFrom, type TagText } from './tag-text.ts';

export const bulkFields = [
  ...(['type', 'attribute', 'decimal', 'bias', 'precision', 'description'] as const),
  ...(['deadband', 'unit', 'low', 'high'] as const),
] as const;
export type BulkField = (typeof bulkFields)[number];

/** A change that many tags get alike. */
export interface BulkChange {
  /** Fields that all tags get. */
  readonly fields: Readonly<Partial<Record<BulkField, string>>>;
  readonly prefix: string;
  readonly suffix: string;
  readonly findInName: string;
  readonly replaceInName: string;
  readonly findInAddress: string;
  readonly replaceInAddress: string;
}

export const noChange: BulkChange = {
  fields: {},
  prefix: '',
  suffix: '',
  findInName: '',
  replaceInName: '',
  findInAddress: '',
  replaceInAddress: '',
};

const replaced = (text: string, find: string, by: string): string =>
  find === '' ? text : text.replaceAll(find, by);

const numeral = (text: string): string => String(numberFrom(text) ?? text);

/** An empty field means that there is none. */
const numeralOrNone = (text: string): string => (text.trim() === '' ? '' : numeral(text));

/** A tag after the change. */
export function changed(before: TagText, change: BulkChange): TagText {
  const { fields } = change;
  const { decimal, bias, precision, attribute, deadband, low, high } = fields;
  const name = replaced(before.name, change.findInName, change.replaceInName);
  return {
    ...before,
    ...fields,
    ...(decimal !== undefined && { decimal: numeral(decimal) }),
    ...(bias !== undefined && { bias: numeral(bias) }),
    ...(precision !== undefined && { precision: numeral(precision) }),
    ...(deadband !== undefined && { deadband: numeralOrNone(deadband) }),
    ...(low !== undefined && { low: numeralOrNone(low) }),
    ...(high !== undefined && { high: numeralOrNone(high) }),
    ...(attribute !== undefined && { attribute: attributeText(attributeFrom(attribute) ?? 0) || attribute }),
    name: `${change.prefix}${name}${change.suffix}`,
    address: replaced(before.address, change.findInAddress, change.replaceInAddress),
  };
}

/** A tag before and after the change. */
export interface BulkRow {
  /** The name before the change. */
  readonly name: string;
  readonly before: TagText;
  readonly after: TagText;
  readonly fields: readonly (keyof TagText)[];
  readonly tag: TagInput;
  readonly problem: Problem | undefined;
}

/** The tags that a change affects, each with its problem after the change. `others` are the names of tags that do not change. */
export function bulkRows(
  tags: ReadonlyMap<string, TagText>,
  change: BulkChange,
  others: ReadonlySet<string>,
  rules: TagRules,
): BulkRow[] {
  const taken = new Set(others);
  const rows: BulkRow[] = [];
  for (const [name, before] of tags) {
    const after = changed(before, change);
    const isTaken = taken.has(after.name);
    taken.add(after.name);
    const fields = (Object.keys(after) as (keyof TagText)[]).filter(
      (field) => after[field] !== before[field],
    );
    if (fields.length === 0) continue;
    const { tag, problems } = tagFrom(after);
    const duplicate: Problem = { field: 'name', value: after.name, rule: 'taken', limit: '' };
    const [problem] = isTaken ? [duplicate] : [...problems, ...tagProblems(tag, rules)];
    rows.push({ name, before, after, fields, tag, problem });
  }
  return rows;
}
