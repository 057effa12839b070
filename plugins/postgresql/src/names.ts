import { createHash } from 'node:crypto';
import { asText } from './record.ts';

/** Most bytes of a name of PostgreSQL. */
const longest = 63;

/** A name of a table or a column. One that is too long, or `isTaken`, gets a part that makes it another one, always the same. */
export function fitting(name: string, isTaken = false): string {
  const text = asText(name);
  if (!isTaken && Buffer.byteLength(text) <= longest) return text;
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 8);
  let start = text;
  while (Buffer.byteLength(start) > longest - mark.length - 1) start = start.slice(0, -1);
  return `${start}_${mark}`;
}

/** A name as it stands in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
