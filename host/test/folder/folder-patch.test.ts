import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { patchOf } from '../../src/folder/folder-patch.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;
const title = `a patch of files${hasGit ? '' : ' (skipped: git is not installed)'}`;

const linesOf = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${of(at)}\n`).join('');
const bytes = (length: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 7919 + seed * 104_729) % 256));

/** Before and after, by path. */
const cases: Readonly<Record<string, readonly [string | Buffer | undefined, string | Buffer | undefined]>> = {
  'changed.yaml': ['a\nb\nc\n', 'a\nB\nc\nd\n'],
  'no break.yaml': ['a\nb', 'a\nc'],
  'break comes': ['a', 'a\n'],
  'new/one in a folder.yaml': [undefined, 'x: 1\n'],
  'new without a break': [undefined, 'x'],
  'new and empty': [undefined, ''],
  'gone.yaml': ['x\ny\n', undefined],
  'gone and empty': ['', undefined],
  filled: ['', 'x\n'],
  emptied: ['x\n', ''],
  'lines of others': ['a\r\nb\r\n', 'a\r\nc\r\n'],
  'quotes " and \\ and ü 压': ['1\n', '2\n'],
  'a\tand\nb': ['1\n', '2\n'],
  marks: ['-- a\n++ b\n@@ c\n', '-- b\n++ a\n@@ c\n'],
  'large.csv': [linesOf(20_000, (at) => `a${at}`), linesOf(20_000, (at) => `b${at}`)],
  'far apart.csv': [linesOf(500, (at) => `a${at}`), linesOf(500, (at) => (at % 100 === 7 ? 'x' : `a${at}`))],
  bytes: [bytes(1000, 1), bytes(1003, 2)],
  'bytes that come': [undefined, bytes(1, 3)],
  'bytes that go': [bytes(52, 4), undefined],
  'bytes of a text': ['text\n', bytes(300, 5)],
};

(hasGit ? describe : describe.skip)(title, function () {
  this.timeout(60_000);
  for (const algorithm of ['sha1', 'sha256'] as const)
    it(`makes the files of a repository with ${algorithm} what they are to be, all at once`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tagway-patch-'));
      try {
        const git = (...args: string[]): string =>
          execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
            cwd: folder,
            encoding: 'utf8',
            env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
          });
        git('init', '--quiet', `--object-format=${algorithm}`);
        const path = 'the plant';
        for (const [file, [before]] of Object.entries({ ...cases, other: ['x'] as const })) {
          if (before === undefined) continue;
          mkdirSync(dirname(join(folder, path, file)), { recursive: true });
          writeFileSync(join(folder, path, file), before);
        }
        git('add', '--all');
        git('commit', '--quiet', '--message', 'before');
        const changes = new Map<string, string | Buffer | undefined>(
          Object.entries(cases).map(([file, [, now]]) => [file, now]),
        );
        changes.set('.schemas/driver.json', '{}');
        const read = (file: string): Promise<Buffer | undefined> =>
          Promise.resolve(cases[file]?.[0]).then((before) =>
            before === undefined ? undefined : Buffer.from(before),
          );
        const patch = await patchOf(changes, { path, algorithm, read });
        rmSync(join(folder, '.patch'), { force: true });
        writeFileSync(join(folder, '.patch'), patch);
        git('apply', '--index', '.patch');
        for (const [file, [, now]] of Object.entries(cases)) {
          const shown = spawnSync('git', ['show', `:${path}/${file}`], { cwd: folder, encoding: 'buffer' });
          expect(shown.status === 0, file).to.equal(now !== undefined);
          if (now === undefined) continue;
          expect(shown.stdout.equals(Buffer.from(now)), file).to.equal(true);
          expect(readFileSync(join(folder, path, file)).equals(Buffer.from(now)), file).to.equal(true);
        }
        expect(git('status', '--short', '--no-renames', '--', path).trim().split('\n')).to.have.length(
          Object.keys(cases).length,
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
});
