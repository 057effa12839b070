import { type Placeholders, placeholders, separators } from './names.ts';

/** One part of a template, in the order of its text. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string; readonly format: string }
  | { readonly kind: 'tags'; readonly separator: string; readonly parts: readonly Part[] };

/** Where a template is used. */
export type TemplateKind =
  /** Names a place, such as a topic: other braces are refused, and nothing that changes with the sample is in it. */
  | 'place'
  /** What is sent: other braces are text, so that JSON can be written as it is. */
  | 'body';

/** The parts of a template, or why it is none. */
export type Parsed = { readonly parts: readonly Part[] } | { readonly problem: string };

/** A placeholder: letters in braces, perhaps with a slash before them, perhaps with a format after a colon. */
const placeholder = /\{(\/?)([a-z]+)(?::([a-z0-9]*))?\}/gi;

/** The placeholders that may be used, for people. */
export function namesOf(kind: TemplateKind, known: Placeholders = placeholders): string {
  const names = [...known].filter(([, { of }]) => kind === 'body' || of !== 'value');
  const braced = names.map(([name]) => `{${name}}`);
  return `${braced.slice(0, -1).join(', ')} and ${braced.at(-1) ?? ''}`;
}

/** Reads a template with the placeholders that there are. A problem is a sentence that completes "… is not a template:". */
export function parseTemplate(text: string, kind: TemplateKind, all: Placeholders = placeholders): Parsed {
  const outer: Part[] = [];
  let inner: { readonly separator: string; readonly parts: Part[] } | undefined;
  let end = 0;
  for (const match of text.matchAll(placeholder)) {
    const [found, slash, name = '', format] = match;
    const parts = inner?.parts ?? outer;
    const before = text.slice(end, match.index);
    end = match.index + found.length;
    if (before !== '') parts.push({ kind: 'text', text: before });
    if (name === 'tags' && kind === 'body') {
      if (slash === '/') {
        if (inner === undefined) return { problem: '"{/tags}" has no "{tags}" before it.' };
        outer.push({ kind: 'tags', ...inner });
        inner = undefined;
        continue;
      }
      const separator = separators.get(format ?? '');
      if (separator === undefined)
        return { problem: `"${found}" is unknown: there are ${listOf(separators.keys(), 'tags')}.` };
      if (inner !== undefined) return { problem: '"{tags}" is within another "{tags}".' };
      inner = { separator, parts: [] };
      continue;
    }
    const known = slash === '' ? all.get(name) : undefined;
    if (known === undefined || (kind === 'place' && known.of === 'value'))
      return { problem: `"${found}" is not a placeholder; there are ${namesOf(kind, all)}.` };
    if (format !== undefined && !known.formats.includes(format))
      return {
        problem:
          known.formats.length === 0
            ? `"${found}" is unknown: {${name}} has no formats.`
            : `"${found}" is unknown: there are ${listOf(['', ...known.formats], name)}.`,
      };
    parts.push({ kind: 'name', name, format: format ?? '' });
  }
  if (inner !== undefined) return { problem: '"{tags}" has no "{/tags}" after it.' };
  if (end < text.length) outer.push({ kind: 'text', text: text.slice(end) });
  if (kind === 'place') {
    const [brace] = /[{}][^{}]*[}]?/.exec(textOf(outer)) ?? [];
    if (brace !== undefined)
      return { problem: `"${brace}" is not a placeholder; there are ${namesOf(kind, all)}.` };
  } else {
    const problem = tagsProblem(outer, all);
    if (problem !== undefined) return { problem };
  }
  return { parts: outer };
}

/** Whether a part is about one tag. */
export function isOfTag(part: Part, known: Placeholders = placeholders): boolean {
  return part.kind === 'name' && part.name !== 'time' && known.get(part.name)?.of !== 'group';
}

/** With `{tags}` a body is about all tags of a sample; what is of one tag makes no sense beside it. */
function tagsProblem(parts: readonly Part[], known: Placeholders): string | undefined {
  if (!parts.some(({ kind }) => kind === 'tags')) return undefined;
  const outside = parts.find((part) => isOfTag(part, known));
  return outside?.kind === 'name'
    ? `"{${outside.name}}" stands for one tag and is outside of "{tags}" and "{/tags}".`
    : undefined;
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : ' ')).join('');
}

function listOf(formats: Iterable<string>, name: string): string {
  return [...formats].map((format) => (format === '' ? `{${name}}` : `{${name}:${format}}`)).join(', ');
}
