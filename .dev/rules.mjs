// Rules of the repository that no other tool knows: names of files, text that must not be in them, and what pages name.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { pageProblems } from './pages.mjs';
import { adviceOf, replaced, replacedIn, replacedInText } from './words.js';
import { inRoot, root } from './workspace.mjs';

const vagueName = /(^|\/)(utils?|helpers?|common|misc|manager)(\.[^/]*)?(\/|$)/i;
const textRules = [
  { pattern: /(?:^|[\s"'`(=:])\/(?:home|root|tmp|work|Users)\/\w/, reason: 'names a folder of one machine' },
  { pattern: /^[<>]{7} /, reason: 'is left of a merge' },
  { pattern: /registry\.npmjs/, reason: 'names a package registry, which is for each user to choose' },
];
const lockfileRule = { pattern: /https?:\/\/|\btarball:/, reason: 'ties the lockfile to one registry' };

/** Of the README, which newcomers read to its end. */
const mostLines = 120;
/** Pages that say what was: they may have replaced names, and name files that are gone. */
const history = /^(docs\/glossary\.md|CHANGELOG\.md|\.changeset\/)/;
/** Files that are made by tools, or by others. */
const notOurs = /^(pnpm-lock\.yaml$|e2e\/peers\/otlp\/opentelemetry\/)/;

/** The files that are or would be committed; ignored ones do not count. */
function listed() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  } catch {
    console.log('This is not a git working copy, so the rules of the repository are not checked.');
    return [];
  }
}

function nameProblems(file) {
  const problems = file
    .split('/')
    .map((part) => replacedIn(part, replaced))
    .filter((found) => found !== undefined)
    .map((found) => `${file}: ${adviceOf(found)}`);
  if (vagueName.test(file) && !notOurs.test(file))
    problems.push(`${file}: a file or folder says what it is about; this name does not.`);
  return problems;
}

function lineProblems(file, line) {
  const rules = file === 'pnpm-lock.yaml' ? [...textRules, lockfileRule] : textRules;
  const found = history.test(file) || notOurs.test(file) ? undefined : replacedInText(line, replaced);
  return [
    ...rules
      .filter(({ pattern }) => pattern.test(line))
      .map(({ reason }) => `${reason}: ${line.trim().slice(0, 120)}`),
    ...(found === undefined ? [] : [adviceOf(found)]),
  ];
}

const problems = [];
for (const file of listed()) {
  if (file === '' || !existsSync(inRoot(file)) || !statSync(inRoot(file)).isFile()) continue;
  const text = readFileSync(inRoot(file), 'utf8');
  problems.push(...nameProblems(file));
  for (const [index, line] of text.split('\n').entries())
    problems.push(...lineProblems(file, line).map((problem) => `${file}:${index + 1}: ${problem}`));
  if (file === 'README.md' && text.split('\n').length > mostLines + 1)
    problems.push(`README.md has more than ${mostLines} lines. What is looked up stands in docs/.`);
  if (file.endsWith('.md') && !history.test(file)) problems.push(...pageProblems(root, file, text));
}

if (problems.length > 0) console.error(problems.join('\n'));
process.exitCode = problems.length > 0 ? 1 : 0;
