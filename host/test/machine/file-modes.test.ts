import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { closeDataFolder } from '../../src/machine/file-modes.ts';

describe('the modes of the data folder', () => {
  let folder: string;
  const modeOf = (name: string): number => statSync(join(folder, name)).mode & 0o777;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagway-modes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are left alone, without a word, where nobody else has access', async () => {
    mkdirSync(join(folder, 'keys'), { mode: 0o700 });
    writeFileSync(join(folder, 'tagway.sqlite'), '', { mode: 0o600 });
    expect(await closeDataFolder(folder)).to.deep.equal([]);
  });

  it('of what the gateway made are closed, which is said', async () => {
    for (const name of ['keys', 'libraries']) mkdirSync(join(folder, name));
    for (const name of ['tagway.sqlite', 'tagway.sqlite-wal']) writeFileSync(join(folder, name), '');
    for (const name of ['keys', 'libraries', 'tagway.sqlite', 'tagway.sqlite-wal'])
      chmodSync(join(folder, name), 0o775);
    expect(await closeDataFolder(folder)).to.deep.equal([
      `Other users of this machine had access to these in the data folder ${folder}, and have none any more: keys, libraries, tagway.sqlite, tagway.sqlite-wal.`,
    ]);
    expect(['keys', 'tagway.sqlite', 'tagway.sqlite-wal'].map(modeOf)).to.deep.equal([0o700, 0o700, 0o700]);
    expect(await closeDataFolder(folder)).to.deep.equal([]);
  });

  it('of the folder itself, and of what operators put there, are only told', async () => {
    mkdirSync(join(folder, 'trusted'));
    mkdirSync(join(folder, 'issuers'));
    writeFileSync(join(folder, 'notes'), '');
    chmodSync(join(folder, 'trusted'), 0o775);
    chmodSync(join(folder, 'issuers'), 0o755);
    chmodSync(join(folder, 'notes'), 0o666);
    chmodSync(folder, 0o755);
    expect(await closeDataFolder(folder)).to.deep.equal([
      `Other users of this machine can read the data folder ${folder} (mode 755). Unless they are meant to, close it: chmod 700 ${folder}`,
      `Other users of this machine can put keys into ${join(folder, 'trusted')} (mode 775), and so decide what the gateway trusts. Close it: chmod go-w ${join(folder, 'trusted')}`,
    ]);
    expect([modeOf('trusted'), modeOf('notes')]).to.deep.equal([0o775, 0o666]);
    chmodSync(folder, 0o777);
    expect((await closeDataFolder(folder))[0]).to.include(`can change the data folder ${folder} (mode 777)`);
  });

  it('of something elsewhere that a link leads to are not touched', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'tagway-modes-'));
    chmodSync(elsewhere, 0o755);
    symlinkSync(elsewhere, join(folder, 'nodes'));
    expect(await closeDataFolder(folder)).to.deep.equal([]);
    expect(statSync(elsewhere).mode & 0o777).to.equal(0o755);
    rmSync(elsewhere, { recursive: true });
  });
});
