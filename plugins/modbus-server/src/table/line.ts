import { type Reference, referencesIn } from '@tagway/sdk';

/** A line of the table: the tag that it begins with, and the fields behind it. */
export interface Line {
  readonly reference: Reference;
  readonly fields: readonly string[];
}

/** What a spreadsheet makes of a reference in double quotes: the gateway finds none there. */
const doubled = /^\s*"?\s*tag\s*\(\s*""/;

/**
 * The parts of a line of CSV whose first field is `tag('node/group/tag')`. A name may have a comma, so that the first field ends where the call of
 * `tag` does; it may be in quotation marks as a whole, as spreadsheets write it. Or a clause that says what is wrong.
 */
export function lineOf(text: string): Line | string {
  if (doubled.test(text))
    return "a spreadsheet has doubled its quotation marks: write the reference in single ones, tag('node/group/tag')";
  const [found] = referencesIn(text);
  const head = found && /^\s*("?)\s*tag\s*\(\s*["']$/.exec(text.slice(0, found.start));
  if (found === undefined || !head)
    return "it does not begin with a reference, such as tag('node/group/tag')";
  if (found.reference === undefined)
    return `"${found.text}" names no tag: a reference is node/group/tag, with %2F for a slash in a name`;
  const rest = /^["']\s*\)\s*("?)\s*(?:,(.*))?$/.exec(text.slice(found.end));
  if (rest === null || rest[1] !== head[1])
    return 'there is something between its reference and the comma behind it';
  return { reference: found.reference, fields: fieldsOf(rest[2] ?? '') };
}

/** The fields of a line without references: no column may have a comma. */
export function fieldsOf(text: string): string[] {
  return text.split(',').map((field) =>
    field
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );
}
