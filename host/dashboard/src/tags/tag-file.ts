import { type GroupPace, Limits, type TagInput, type TagRecord } from '@tagway/schemas';
import type { TagRules } from '../api/tag-rules.ts';
import { groupReports } from './group-pace.ts';
import { tagProblems, type Problem, type TagField } from './tag-problems.ts';
import { numberFrom, tagFrom, textOf } from './tag-text.ts';

/** The columns of the family's files, in their order, and then those of our own. */
export const columns: readonly TagField[] = [
  ...(['group', 'interval', 'name', 'address', 'attribute', 'type'] as const),
  ...(['description', 'decimal', 'precision', 'bias', 'value'] as const),
  ...(['deadband', 'unit', 'low', 'high'] as const),
  ...(['report', 'min_interval', 'max_interval'] as const),
];

/** The columns of a table without titles: all but those of the group. */
const untitled = columns.slice(2, -3);

/** A line of a file: its tag and its problems. */
export interface TagLine {
  /** The number of the row in a spreadsheet; the first one is 1. */
  readonly row: number;
  readonly group: string;
  /** Milliseconds; undefined if the file has none. */
  readonly interval: number | undefined;
  /** What the file has of the pace of the group. */
  readonly pace: GroupPace;
  readonly tag: TagInput;
  readonly problems: readonly Problem[];
}

/** The titles of a table in small letters; undefined when its first row is a tag already. */
export function titlesOf(table: readonly (readonly string[])[]): string[] | undefined {
  const titles = (table[0] ?? []).map((title) => title.trim().toLowerCase());
  return titles.includes('name') && (titles.includes('address') || titles.includes('type'))
    ? titles
    : undefined;
}

/** Lines that are read in one slice of work. */
const slice = 250;

/** The lines of a table of texts; empty lines are skipped. It works in slices, so that the page stays responsive. */
export async function linesOf(
  table: readonly (readonly string[])[],
  group: string,
  rules: TagRules,
): Promise<TagLine[]> {
  const titles = titlesOf(table);
  const hasTitles = titles !== undefined;
  const columnIndexes = new Map((titles ?? untitled).map((title, at) => [title, at]));
  const first = new Map<string, number>();
  const lines: TagLine[] = [];
  for (const [index, cells] of table.entries()) {
    if (index % slice === slice - 1) await nextTask();
    if ((hasTitles && index === 0) || cells.every((cell) => cell.trim() === '')) continue;
    const text = (field: TagField): string => cells[columnIndexes.get(field) ?? -1] ?? '';
    const line = lineOf(text, group, rules);
    const row = index + 1;
    const key = JSON.stringify([line.group, line.tag.name]);
    const known = first.get(key);
    if (line.tag.name === '' || known === undefined) {
      first.set(key, row);
      lines.push({ ...line, row });
      continue;
    }
    const duplicate: Problem = { field: 'name', value: line.tag.name, rule: 'double', limit: String(known) };
    lines.push({ ...line, row, problems: [...line.problems, duplicate] });
  }
  return lines;
}

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function lineOf(text: (field: TagField) => string, group: string, rules: TagRules): Omit<TagLine, 'row'> {
  const { tag, problems: unreadable } = tagFrom({
    name: text('name'),
    address: text('address'),
    attribute: text('attribute'),
    type: text('type'),
    description: text('description'),
    decimal: text('decimal'),
    precision: text('precision'),
    bias: text('bias'),
    deadband: text('deadband'),
    unit: text('unit').trim(),
    low: text('low'),
    high: text('high'),
    value: text('value'),
  });
  const problems = [...unreadable];
  // Without a valid type the address is not checked.
  const known = new Set(unreadable.map(({ field }) => field));
  const checked = tagProblems(tag, known.has('type') ? { ...rules, addresses: undefined } : rules);
  problems.push(...checked.filter(({ field }) => !known.has(field)));
  const interval = text('interval').trim() === '' ? undefined : numberFrom(text('interval'));
  if (text('interval').trim() !== '' && (interval === undefined || interval < Limits.intervalMin)) {
    problems.push({
      field: 'interval',
      value: text('interval'),
      rule: 'interval',
      limit: String(Limits.intervalMin),
    });
  }
  const pace = paceFrom(text, problems);
  return { group: text('group').trim() || group, interval, pace, tag, problems };
}

function paceFrom(text: (field: TagField) => string, problems: Problem[]): GroupPace {
  const pace: GroupPace = {};
  const given = text('report').trim().toLowerCase();
  const report = groupReports.find((one) => one === given);
  if (report !== undefined) pace.report = report;
  else if (given !== '')
    problems.push({ field: 'report', value: text('report'), rule: 'report', limit: groupReports.join(', ') });
  for (const field of ['min_interval', 'max_interval'] as const) {
    const value = text(field).trim();
    const interval = numberFrom(value);
    if (value === '') continue;
    if (interval === undefined || !Number.isInteger(interval) || interval < 0)
      problems.push({ field, value, rule: 'pace', limit: '' });
    else pace[field] = interval;
  }
  return pace;
}

/** Groups of tags as a table with titles. */
export function tableOf(
  groups: readonly (GroupPace & {
    readonly name: string;
    readonly interval: number;
    readonly tags: readonly TagRecord[];
  })[],
): string[][] {
  return [
    [...columns],
    ...groups.flatMap(({ name, interval, tags, ...pace }) => {
      const { report = '', min_interval = '', max_interval = '' } = pace;
      const ofGroup = { group: name, interval, report, min_interval, max_interval };
      return tags.map((tag) => {
        const text = { ...textOf(tag), ...ofGroup };
        return columns.map((field) => String(text[field]));
      });
    }),
  ];
}
