// `npm run version -- 0.2.0`: one version for all packages, and a section of CHANGELOG.md from the files in .changeset, which it removes.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Failure, inRoot, readJson, root } from './workspace.mjs';

/** Groups of changes in the changelog. A change is in the first group that has one of its packages. */
const groups = [
  ['Gateway', /^@tagway\/(host|demo|plugin-.*)$/],
  ['Plugins: SDK and kit', /^@tagway\/(sdk|serial|pluginkit)$/],
  ['HTTP API', /^@tagway\/schemas$/],
];

/** Where a version of ours is written, apart from the `version` of packages: SDK ranges, and names of our archives. */
const mentions = (version) =>
  new RegExp(
    `((?:"sdk"|\\bsdk): ["']\\^|\\btagway(?:-serial)?-)${version.replaceAll('.', '\\.')}(?=["']|\\.tgz)`,
    'g',
  );

/** Fixtures are data of earlier releases, and a template has the version of a new plugin. */
const isOurs = (file) => !/^(CHANGELOG\.md|pnpm-lock\.yaml|\.changeset\/|e2e\/fixtures\/)/.test(file);
const isPackage = (file) => /(^|\/)package\.json$/.test(file) && !file.startsWith('sdk/pluginkit/templates/');

/** A change: its packages, by which it is grouped, and its text. */
function readChange(name) {
  const text = readFileSync(inRoot('.changeset', name), 'utf8');
  const [, head, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const packages = [...(head ?? '').matchAll(/'([^']+)'/g)].map(([, name]) => name);
  const group = groups.find(([, pattern]) => packages.some((name) => pattern.test(name)))?.[0];
  if (group === undefined)
    throw new Failure(`.changeset/${name} names no package of ours between its two lines "---".`);
  return { group, text: body.trim() };
}

/** One entry of a list: further lines are indented. */
const entryOf = ({ text }) => `- ${text.replaceAll(/\n(?=.)/g, '\n  ')}\n`;

function sectionOf(version, changes) {
  const parts = groups
    .map(([title]) => [title, changes.filter(({ group }) => group === title)])
    .filter(([, own]) => own.length > 0)
    .map(([title, own]) => `### ${title}\n\n${own.map(entryOf).join('')}`);
  return [`## ${version}\n`, ...parts].join('\n');
}

/** Adds changes to the changelog: a new section at the top, or more of the section that is there. */
function addToChangelog(version, changes) {
  const file = inRoot('CHANGELOG.md');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '# Changes\n\n';
  const at = text.search(/^## /m);
  const head = at === -1 ? text : text.slice(0, at);
  const rest = at === -1 ? '' : text.slice(at);
  const section = sectionOf(version, changes);
  const own = `## ${version}\n`;
  const all = rest.startsWith(own) ? `${section}${rest.slice(own.length)}` : `${section}\n${rest}`;
  writeFileSync(file, `${head}${all}`.trimEnd() + '\n');
}

export async function version([next, ...others]) {
  if (next === undefined || others.length > 0 || !/^\d+\.\d+\.\d+$/.test(next))
    throw new Failure('Give the new version: npm run version -- 0.2.0');
  const { version: before } = readJson(inRoot('package.json'));
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  for (const file of files.filter((name) => name !== '' && isOurs(name) && existsSync(inRoot(name)))) {
    const text = readFileSync(inRoot(file), 'utf8');
    const own = isPackage(file) ? text.replace(`"version": "${before}"`, `"version": "${next}"`) : text;
    const changed = own.replaceAll(mentions(before), `$1${next}`);
    if (changed !== text) writeFileSync(inRoot(file), changed);
  }
  const names = readdirSync(inRoot('.changeset')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  if (names.length > 0) addToChangelog(next, names.map(readChange));
  for (const name of names) rmSync(inRoot('.changeset', name));
  console.log(
    `All packages have version ${next}. CHANGELOG.md has ${names.length} new entries: read them as a user would.`,
  );
  return 0;
}
