import type { Entry } from '../../core/alarms/alarms.ts';

/** A text that a spreadsheet reads as a formula, or one that begins as what is put before such a text. */
const risky = /^[=+\-@\t\r']/;

const head = [
  'recorded',
  'time',
  'node',
  'group',
  'tag',
  'from',
  'to',
  'cause',
  'value',
  'limit',
  'priority',
  'text',
  'user',
  'kind',
  'comment',
  'sequence',
  'until',
  'once',
];

/** Transitions as a CSV file (RFC 4180) with a byte order mark, which spreadsheets need to read UTF-8; times are those of UTC. */
export async function alarmTable(entries: AsyncIterable<Entry>): Promise<string> {
  const lines = [`\ufeff${head.join(',')}`];
  for await (const { node, record } of entries) {
    const { recorded, time, group, tag, from, to, cause, value, limit, priority, text, by, comment, shelf } =
      record;
    const what = [
      node,
      group,
      tag,
      from,
      to,
      cause,
      value,
      limit,
      priority,
      text,
      by?.name,
      by?.kind,
      comment,
    ];
    const shelved = shelf === undefined ? ['', ''] : [timeOf(shelf.until), String(shelf.once)];
    lines.push([timeOf(recorded), timeOf(time), ...what.map(cellOf), record.sequence, ...shelved].join(','));
  }
  return `${lines.join('\r\n')}\r\n`;
}

function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function cellOf(value: string | number | bigint | boolean | undefined): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const safe = risky.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
