// What a build makes, or a gateway that is started as the README says, must not count as a change of the sources: the gateway would call its revision dirty.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { inRoot } from './workspace.mjs';

const git = (...args) => spawnSync('git', args, { cwd: inRoot(), encoding: 'utf8' });
const isClone = git('rev-parse', '--git-dir').status === 0;
const title = 'the files of a build';

(isClone ? describe : describe.skip)(isClone ? title : `${title} (skipped: there is no git here)`, () => {
  // tsup writes its configuration, bundled, beside the original while it reads it, which is when the revision is asked for.
  for (const name of [
    'host/tsup.config.bundled_a1b2c3.mjs',
    'host/dist/main.js',
    '.stamps/build-host',
    'my-data/tagway.sqlite',
  ])
    it(`${name} is ignored`, () => {
      expect(git('check-ignore', '--no-index', name).status).to.equal(0);
    });
});
