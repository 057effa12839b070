import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadKeys } from '../../src/http/auth/keys.ts';

describe('the key pair of tokens', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-keys-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made once, for the eyes of its user only', async () => {
    const keys = join(folder, 'keys');
    const made = await loadKeys(keys);
    const loaded = await loadKeys(keys);
    expect(loaded.publicKey.equals(made.publicKey)).to.equal(true);
    expect((await stat(join(keys, 'token.pem'))).mode & 0o777).to.equal(0o600);
  });

  it('is not replaced when its file is damaged: the error says what to do', async () => {
    const file = join(folder, 'token.pem');
    await writeFile(file, 'x');
    const error = await loadKeys(folder).catch((reason: unknown) => reason);
    expect(String(error)).to.contain(file).and.contain('Delete it');
    expect(await readFile(file, 'utf8')).to.equal('x');
  });
});
