// Rules of the repository that no other tool knows: names of files and text that must not be in them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { inRoot, root } from './workspace.mjs';

const vagueName = /(^|\/)(utils?|helpers?|common|misc|manager)(\.[^/]*)?(\/|$)/i;
const textRules = [
  { pattern: /(?:^|[\s"'`(=:])\/(?:home|root|tmp|work|Users)\/\w/, reason: 'names a folder of one machine' },
  { pattern: /registry\.npmjs/, reason: 'names a package registry, which is for each user to choose' },
];
const lockfileRule = { pattern: /https?:\/\/|\btarball:/, reason: 'ties the lockfile to one registry' };

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

const files = listed().filter(
  (file) => file !== '' && existsSync(inRoot(file)) && statSync(inRoot(file)).isFile(),
);

const problems = [];
for (const file of files) {
  if (vagueName.test(file))
    problems.push(`${file}: a file or folder says what it is about; this name does not.`);
  const rules = file === 'pnpm-lock.yaml' ? [...textRules, lockfileRule] : textRules;
  for (const [index, line] of readFileSync(inRoot(file), 'utf8').split('\n').entries()) {
    for (const { pattern, reason } of rules) {
      if (pattern.test(line)) problems.push(`${file}:${index + 1}: ${reason}: ${line.trim().slice(0, 120)}`);
    }
  }
}

if (problems.length > 0) console.error(problems.join('\n'));
process.exitCode = problems.length > 0 ? 1 : 0;
