import { ErrorCode, type TagInput, type TagRow } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { stringifyJson } from '@tagway/sdk/json';
import type { TagBody } from '../core/model.ts';
import { Pace } from '../core/pace.ts';
import type { RowProblem } from '../core/tag-plan.ts';
import { tagBody } from './tag-body.ts';

/** Rows as the core takes them, and what is wrong with those that are no tags. */
export interface ReadRows {
  readonly rows: readonly (TagBody | undefined)[];
  readonly problems: readonly RowProblem[];
}

interface Field {
  readonly fits: (value: unknown) => boolean;
  /** Completes "It must be …". */
  readonly rule: string;
  readonly error: number;
  readonly isNeeded?: boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const text = { fits: isText, rule: 'a text', error: ErrorCode.BODY_INVALID };
const precision = {
  fits: Number.isInteger,
  rule: 'an integer of 0 to 17',
  error: ErrorCode.TAG_PRECISION_INVALID,
};

/** What a row may have, by the names of section 2.5. */
const fields: Readonly<Record<string, Field>> = {
  name: {
    fits: (value) => isText(value) && value !== '',
    rule: 'a text that is not empty',
    error: ErrorCode.BODY_INVALID,
    isNeeded: true,
  },
  address: { ...text, isNeeded: true },
  attribute: {
    fits: (value) => Number.isInteger(value) && Number(value) >= 0,
    rule: 'a sum of 1 (read), 2 (write), 4 (subscribe) and 8 (static)',
    error: ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
    isNeeded: true,
  },
  type: {
    fits: Number.isInteger,
    rule: 'the number of a data type',
    error: ErrorCode.TAG_TYPE_UNSUPPORTED,
    isNeeded: true,
  },
  precision,
  precison: precision,
  decimal: {
    fits: (value) => value === null || typeof value === 'number',
    rule: 'a number',
    error: ErrorCode.TAG_DECIMAL_INVALID,
  },
  bias: {
    fits: (value) => typeof value === 'number',
    rule: 'a number',
    error: ErrorCode.TAG_BIAS_INVALID,
  },
  description: text,
  value: {
    fits: (value) => value !== null && (typeof value !== 'object' || Array.isArray(value)),
    rule: 'a number, a text, true, false or a list of bytes',
    error: ErrorCode.BODY_INVALID,
  },
};

/** Looks at all rows, also at those behind a bad one. */
export async function readRows(given: readonly TagRow[]): Promise<ReadRows> {
  const rows: (TagBody | undefined)[] = [];
  const problems: RowProblem[] = [];
  const pace = new Pace();
  for (const [index, row] of given.entries()) {
    if (pace.isDue) await pace.rest();
    const wrong = problemsOf(index, row as Readonly<Record<string, unknown>>);
    if (wrong.length === 0) rows.push(bodyOf(index, row as TagInput, wrong));
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
    const name = field !== 'name' && typeof row['name'] === 'string' ? ` of the tag "${row['name']}"` : '';
    const what = value === undefined ? 'is missing' : `is ${shortOf(value)}`;
    const message = `The ${field}${name} (tags[${index}]) ${what}. It must be ${rule}.`;
    found.push({ index, field, error, message });
  }
  return found;
}

/** Puts what is wrong with the value of a static tag among the problems. */
function bodyOf(index: number, row: TagInput, problems: RowProblem[]): TagBody | undefined {
  try {
    return tagBody(row);
  } catch (error) {
    if (!isFault(error)) throw error;
    problems.push({ index, field: 'value', error: error.code, message: error.message });
    return undefined;
  }
}

/** A value as a sentence quotes it. */
function shortOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value === 'string') return `"${value.slice(0, 100)}"`;
  return stringifyJson(value).slice(0, 100);
}
