// What Markdown pages name must be there: the targets of their links, headings included, and files of the repository.
import fs, { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const link = /(?<!`)\]\(([^()\s]+)\)/g;
const namedFile =
  /(?<![\w./@{-]|\]\()(?:\.dev|\.github|\.ci|deploy|docs|e2e|host|plugins|schemas|sdk)\/[\w.*/-]*[\w*]/g;

/** The pages that users read, as paths from a folder that holds the repository or what was packed of it. */
export function readPages(root) {
  const folders = ['.', 'docs', 'docs/plugins', 'deploy', 'host'];
  for (const name of readdirSync(join(root, 'plugins'))) folders.push(`plugins/${name}`);
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name).replaceAll('\\', '/')),
  );
}

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

function anchorsOf(text) {
  const headings = text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm);
  return new Set(Array.from(headings, ([, heading]) => anchorOf(heading)));
}

/** Why the target of a link in a page is none; undefined: it is there. Targets elsewhere on the web are not looked at. */
function brokenLink(root, page, target) {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path, anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, file))) return `${target} leads nowhere`;
  if (
    anchor !== undefined &&
    file.endsWith('.md') &&
    !anchorsOf(readFileSync(join(root, file), 'utf8')).has(anchor)
  )
    return `${file} has no heading for #${anchor}`;
  return undefined;
}

/** What is wrong with a page of a repository in the folder `root`, in sentences. */
export function pageProblems(root, page, text) {
  const links = Array.from(text.matchAll(link), ([, target]) => brokenLink(root, page, target));
  const files = Array.from(text.matchAll(namedFile), ([file]) => file)
    .filter((file) => !file.includes('/dist/') && fs.globSync(file, { cwd: root }).length === 0)
    .map((file) => `${file} does not exist`);
  return [...links, ...files]
    .filter((problem) => problem !== undefined)
    .map((problem) => `${page}: ${problem}.`);
}

/**
 * A page without the links to files that do not travel with it: their text stays, but for the row of a table that is about such a file.
 * `isThere` takes paths from the root.
 */
export function withoutForeignLinks(page, text, isThere) {
  const leads = (path) => /^[a-z]+:/.test(path) || isThere(join(dirname(page), path));
  return text
    .replaceAll(/^\| *\[[^\]]*\]\(([^()\s#]+)(?:#[^()\s]*)?\) *\|.*\n/gm, (row, path) =>
      leads(path) ? row : '',
    )
    .replaceAll(/!?\[([^\]]*)\]\(([^()\s#]+)(#[^()\s]*)?\)/g, (whole, label, path) =>
      leads(path) ? whole : label,
    );
}
