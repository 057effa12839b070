// The commands of the root package.json on a machine where nothing is installed yet.
import { expect } from 'chai';
import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inRoot } from './workspace.mjs';

describe('A working copy where nothing is installed yet', () => {
  let copy;
  before(async () => {
    copy = await mkdtemp(join(tmpdir(), 'tagway-fresh-'));
    for (const name of ['.dev', 'package.json', 'pnpm-workspace.yaml'])
      await cp(inRoot(name), join(copy, name), { recursive: true });
  });
  after(() => rm(copy, { recursive: true, force: true }));

  it('runs .dev/run.mjs, which loads nothing that an install would have to bring', async () => {
    const args = [join(copy, '.dev', 'run.mjs'), 'no-such'];
    const { stderr } = await promisify(execFile)(process.execPath, args).catch((refusal) => refusal);
    expect(stderr).to.include('There is no command "no-such".');
  });

  const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;
  const title = 'says in a sentence that nothing can be written there';
  (canMount ? it : it.skip)(canMount ? title : `${title} (nothing can be mounted here)`, async () => {
    const script =
      'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" "$1/.dev/run.mjs" build';
    const args = ['-rm', 'sh', '-c', script, 'sh', copy, process.execPath];
    const { stderr, code } = await promisify(execFile)('unshare', args).catch((refusal) => refusal);
    expect(stderr).to.match(/^.*\.stamps cannot be written: its file system is read-only\. .*\.\n$/);
    expect(code).to.equal(1);
  });
});
