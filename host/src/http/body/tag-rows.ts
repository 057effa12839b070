import { ErrorCode, type GroupPace, type TagInput, type TagRow } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { stringifyJson } from '@tagway/sdk/json';
import { Pacer } from '../../core/system/pacer.ts';
import type { RowProblem } from '../../core/tags/row-checks.ts';
import type { TagRowBody } from '../../core/tags/tag-rows.ts';
import { paceMembers } from '../../core/tags/group-pace.ts';
import { tagBody } from './tag-body.ts';
import { reasonOf, sentence, type Sentence } from '../../core/system/sentence.ts';

/** Rows as the core takes them, undefined where one is wrong, and what is wrong with these. */
export interface ReadRows {
  readonly rows: readonly (TagRowBody | undefined)[];
  readonly problems: readonly RowProblem[];
}

/** A row whose members are what they should be. */
type Row = TagInput &
  GroupPace & { readonly group?: string; readonly interval?: number; readonly new_name?: string };

interface Field {
  readonly fits: (value: unknown) => boolean;
  /** Completes "It must be …". */
  readonly rule: Sentence;
  readonly error: number;
  readonly isNeeded?: boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isName = (value: unknown): boolean => isText(value) && value !== '';
const text = { fits: isText, rule: sentence`a text`, error: ErrorCode.BODY_INVALID };
const name = { fits: isName, rule: sentence`a text that is not empty`, error: ErrorCode.BODY_INVALID };
const precision = {
  fits: Number.isInteger,
  rule: sentence`an integer of 0 to 17`,
  error: ErrorCode.TAG_PRECISION_INVALID,
};

const number = {
  fits: (value: unknown) => typeof value === 'number',
  rule: sentence`a number`,
  error: ErrorCode.TAG_SPAN_INVALID,
};

const milliseconds = {
  fits: Number.isInteger,
  rule: sentence`a number of milliseconds`,
  error: ErrorCode.GROUP_PARAM_INVALID,
};

/** What a row may have, by the names of section 2.5. */
const fields: Readonly<Record<string, Field>> = {
  group: name,
  interval: milliseconds,
  report: {
    fits: (value) => value === 'default' || value === 'change' || value === 'always',
    rule: sentence`default, change or always`,
    error: ErrorCode.GROUP_PARAM_INVALID,
  },
  min_interval: milliseconds,
  max_interval: milliseconds,
  name: { ...name, isNeeded: true },
  new_name: name,
  address: { ...text, isNeeded: true },
  attribute: {
    fits: (value) => Number.isInteger(value) && Number(value) >= 0,
    rule: sentence`a sum of 1 (read), 2 (write), 4 (subscribe) and 8 (static)`,
    error: ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
    isNeeded: true,
  },
  type: {
    fits: Number.isInteger,
    rule: sentence`the number of a data type`,
    error: ErrorCode.TAG_TYPE_UNSUPPORTED,
    isNeeded: true,
  },
  precision,
  precison: precision,
  decimal: {
    fits: (value) => value === null || typeof value === 'number',
    rule: sentence`a number`,
    error: ErrorCode.TAG_DECIMAL_INVALID,
  },
  bias: {
    fits: (value) => typeof value === 'number',
    rule: sentence`a number`,
    error: ErrorCode.TAG_BIAS_INVALID,
  },
  description: text,
  deadband: {
    fits: (value) => typeof value === 'number' || typeof value === 'string',
    rule: sentence`a number, or a percentage of the span such as "2%"`,
    error: ErrorCode.TAG_DEADBAND_INVALID,
  },
  unit: { fits: isText, rule: sentence`a text`, error: ErrorCode.TAG_UNIT_INVALID },
  low: number,
  high: number,
  value: {
    fits: (value) => value !== null && (typeof value !== 'object' || Array.isArray(value)),
    rule: sentence`a number, a text, true, false or a list of bytes`,
    error: ErrorCode.BODY_INVALID,
  },
};

/** Looks at all rows, also at those behind a bad one. */
export async function readRows(given: readonly TagRow[]): Promise<ReadRows> {
  const rows: (TagRowBody | undefined)[] = [];
  const problems: RowProblem[] = [];
  const pace = new Pacer();
  for (const [index, row] of given.entries()) {
    if (pace.isDue) await pace.rest();
    const wrong = problemsOf(index, row as Readonly<Record<string, unknown>>);
    if (wrong.length === 0) rows.push(rowOf(index, row as Row, wrong));
    else rows.push(undefined);
    problems.push(...wrong);
  }
  return { rows, problems };
}

function problemsOf(index: number, row: Readonly<Record<string, unknown>>): RowProblem[] {
  const found: RowProblem[] = [];
  for (const [field, { fits, rule, error, isNeeded = false }] of Object.entries(fields)) {
    const value = row[field];
    if (value === undefined ? !isNeeded : fits(value)) continue;
    const name =
      field !== 'name' && typeof row['name'] === 'string' ? sentence` of the tag "${row['name']}"` : '';
    const what = value === undefined ? sentence`is missing` : sentence`is ${shortOf(value)}`;
    const message = sentence`The ${field}${name} (tags[${index}]) ${what}. It must be ${rule}.`;
    found.push({ index, field, error, message });
  }
  return found;
}

/** Puts what is wrong with the value of a static tag among the problems. */
function rowOf(index: number, row: Row, problems: RowProblem[]): TagRowBody | undefined {
  const { group, interval, new_name: newName } = row;
  try {
    return { body: tagBody(row), newName, group, interval, pace: paceMembers(row) };
  } catch (error) {
    if (!isFault(error)) throw error;
    problems.push({ index, field: 'value', error: error.code, message: reasonOf(error) });
    return undefined;
  }
}

/** A value as a sentence quotes it. */
function shortOf(value: unknown): Sentence | string {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? sentence`a list` : sentence`an object`;
  if (typeof value === 'string') return `"${value.slice(0, 100)}"`;
  return stringifyJson(value).slice(0, 100);
}
