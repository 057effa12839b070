// Names that were replaced and must not come back: the table in docs/glossary.md, a lint rule for identifiers, and what is asked of file
// names and texts by rules.mjs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const glossary = fileURLToPath(new URL('../docs/glossary.md', import.meta.url));

/** The words of a name in lower case: `sent layouts` for `sentLayouts`, `SentLayouts`, `sent-layouts.ts` and `SENT_LAYOUTS`. */
const wordsOf = (name) =>
  name
    .replace(/\.[\w.]*$/, '')
    .replaceAll(/([a-z\d])([A-Z])|[^A-Za-z\d]+/g, '$1 $2')
    .trim()
    .toLowerCase();

/** The rows of the table of replaced names in a glossary. */
export function replacedNames(text) {
  const [, table = ''] = /^## Replaced names\n([^]*?)(?=^## |$(?![^]))/m.exec(text) ?? [];
  return [...table.matchAll(/^\| *`?([^|`\s]+)`? *\| *([^|]+?) *\| *(names|text) *\|$/gm)].map(
    ([, old, now, where]) => ({ old, now, words: wordsOf(old), isText: where === 'text' }),
  );
}

/** Which of the replaced names stands in an identifier or the name of a file or folder; undefined: none. */
export function replacedIn(name, replaced) {
  const words = wordsOf(name);
  return replaced.find(({ old, words: sought }) => {
    if (/^[a-z]/.test(old)) return ` ${words} `.includes(` ${sought} `);
    return name === old || (sought.includes(' ') && words === sought);
  });
}

/** The replaced name that a line of text has, of those that text may not have either. */
export function replacedInText(line, replaced) {
  return replaced.find(
    ({ old, isText }) => isText && new RegExp(`(?<![\\w-])${old}(?![\\w-])`, 'i').test(line),
  );
}

export const replaced = replacedNames(readFileSync(glossary, 'utf8'));
export const adviceOf = ({ old, now }) => `"${old}" was replaced (${now}): see docs/glossary.md.`;

/** The same names come many times in every file. */
const seen = new Map();

function create(context) {
  const visit = (node) => {
    const { name } = node;
    if (!seen.has(name)) seen.set(name, replacedIn(name, replaced));
    const found = seen.get(name);
    if (found !== undefined) context.report({ node, message: adviceOf(found) });
  };
  return { Identifier: visit, PrivateIdentifier: visit, JSXIdentifier: visit };
}

export default { rules: { replaced: { meta: { type: 'problem', schema: [] }, create } } };
