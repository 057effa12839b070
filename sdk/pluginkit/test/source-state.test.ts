import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { sourceState } from '../src/source-state.ts';

describe('the state of the sources of a plugin', () => {
  let folder: string;
  let state: string;
  const at = (...path: string[]): string => join(folder, ...path);
  const look = (): string => sourceState([at('src'), at('plugin.json')], at('src', 'settings.ts'));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-sources-'));
    await mkdir(at('src', 'deep'), { recursive: true });
    for (const file of ['plugin.json', 'src/deep/index.ts', 'src/settings.ts']) {
      await writeFile(at(file), 'one');
      await utimes(at(file), 1, 1);
    }
    state = look();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const file of ['plugin.json', 'src/deep/index.ts']) {
    it(`is another one when ${file} is written, or replaced by a file of the same size and time, again and again`, async () => {
      await writeFile(at(file), 'two');
      expect(look()).to.not.equal(state);
      for (let times = 0; times < 3; times++) {
        state = look();
        await writeFile(at('other'), 'six');
        await utimes(at('other'), 1, 1);
        await rename(at('other'), at(file));
        expect(look()).to.not.equal(state);
      }
    });
  }

  it('is another one when a file comes, gets another name or goes', async () => {
    await writeFile(at('src', 'more.ts'), 'more');
    const more = look();
    await rename(at('src', 'more.ts'), at('src', 'less.ts'));
    expect(new Set([state, more, look()])).to.have.property('size', 3);
    await rm(at('src', 'less.ts'));
    expect(look()).to.equal(state);
  });

  it('stays when nothing happens, or what the build writes is written', async () => {
    expect(look()).to.equal(state);
    await writeFile(at('src', 'settings.ts'), 'types');
    expect(look()).to.equal(state);
  });
});
