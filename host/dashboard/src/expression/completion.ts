import { formatReference, parseReference } from '@tagway/schemas';
import { usages } from './functions.ts';

/** What somebody is about to write at the cursor. */
export type Unfinished =
  | {
      readonly kind: 'reference';
      /** Where the text of the reference begins. */
      readonly from: number;
      /** The names that are complete. */
      readonly names: readonly string[];
      /** The beginning of the next one. */
      readonly begun: string;
    }
  | { readonly kind: 'word'; readonly from: number; readonly begun: string };

/** One way to go on: what is shown, and what takes the place of what was begun. */
export interface Completion {
  readonly label: string;
  readonly text: string;
}

const reference = /\btag\s*\(\s*(?:"([^"\\\r\n]*)|'([^'\\\r\n]*))$/;
const word = /(?:\bmath\.)?\b[A-Za-z_]\w*$|\bmath\.$|\.[A-Za-z]*$/;
const openText = /^(?:[^"']|"[^"\n]*"|'[^'\n]*')*["'][^"'\n]*$/;

/** What stands unfinished before the cursor; undefined when there is nothing to complete. */
export function unfinishedAt(text: string, cursor: number): Unfinished | undefined {
  const before = text.slice(0, cursor);
  const call = reference.exec(before);
  if (call !== null) {
    const written = call[1] ?? call[2] ?? '';
    const parts = written.split('/');
    const begun = parts.pop() ?? '';
    const names = parts.map(decoded);
    return names.length > 2 ? undefined : { kind: 'reference', from: cursor - begun.length, names, begun };
  }
  if (openText.test(before)) return undefined;
  const begun = word.exec(before)?.[0];
  return begun === undefined || begun === ''
    ? undefined
    : { kind: 'word', from: cursor - begun.length, begun };
}

function decoded(part: string): string {
  return parseReference(`${part}/-/-`)?.node ?? part;
}

/** A name as it stands in a reference. */
export function encoded(name: string): string {
  return formatReference({ node: name, group: '-', tag: '-' }).slice(0, -'/-/-'.length);
}

const most = 50;

/** The names that go on with what was begun; after the last one the call is closed. */
export function nameCompletions(names: readonly string[], begun: string, isLast: boolean): Completion[] {
  const wanted = begun.toLowerCase();
  return names
    .map((name) => ({ label: name, text: encoded(name) }))
    .filter(({ label, text }) => label.toLowerCase().includes(wanted) || text.toLowerCase().includes(wanted))
    .slice(0, most)
    .map(({ label, text }) => ({ label, text: isLast ? text : `${text}/` }));
}

/** The functions whose name goes on with what was begun. */
export function functionCompletions(begun: string): Completion[] {
  const isMethod = begun.startsWith('.');
  return usages
    .map((usage) => ({
      label: usage,
      text: usage.slice(usage.startsWith('text.') ? 4 : 0).replace(/\(.*$/, '('),
    }))
    .filter(({ text }) => text.startsWith('.') === isMethod && text.startsWith(begun))
    .slice(0, most);
}

/** The place that a sentence of a refusal names, as an index in the expression. */
export function placeIn(expression: string, sentence: string): number | undefined {
  const place = /(?:Line (\d+), c|C)haracter (\d+): /.exec(sentence);
  if (place === null) return undefined;
  const lines = expression.split('\n');
  const line = Number(place[1] ?? 1) - 1;
  const column = Array.from(lines[line] ?? '')
    .slice(0, Number(place[2]) - 1)
    .join('').length;
  return lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, column);
}
