// The commands of the root package.json on a machine where nothing is installed yet.
import { expect } from 'chai';
import { execFile } from 'node:child_process';
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
});
