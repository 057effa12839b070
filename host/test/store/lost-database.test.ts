import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkNotLost, isLogLost } from '../../src/store/lost-database.ts';

describe('a lost database', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagway-lost-'));
    file = join(folder, 'tagway.sqlite');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const refusal = (isEmpty?: boolean): Promise<unknown> =>
    checkNotLost(file, isEmpty).then(
      () => undefined,
      (error: unknown) => String(error),
    );

  it('is none in a new folder, whatever operators and the first moments of a start put there', async () => {
    for (const name of ['libraries', 'trusted', 'issuers', 'logs', 'keys', 'nodes', 'tls'])
      mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'machine-id'), 'id');
    expect(await refusal()).to.equal(undefined);
    expect(await refusal(true)).to.equal(undefined);
  });

  for (const [what, path, text] of [
    ['keys', 'keys/token.pem', 'keys/token.pem'],
    ["a node's folder", 'nodes/7/client-id', 'nodes/'],
  ] as const) {
    it(`shows by ${what}, whether it is missing or empty`, async () => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), 'x');
      expect(await refusal()).to.include(`holds ${text} of a gateway that ran before`);
      writeFileSync(file, '');
      expect(await refusal()).to.include(`holds ${text} of a gateway that ran before`);
      writeFileSync(file, 'x');
      expect(await refusal()).to.equal(undefined);
      expect(await refusal(true)).to.include(`holds ${text} of a gateway that ran before`);
    });
  }

  it('has lost its log alone only where a gateway did not end properly and left none', async () => {
    expect(await isLogLost(file, true)).to.equal(false);
    writeFileSync(file, 'x');
    expect(await isLogLost(file, false)).to.equal(false);
    expect(await isLogLost(file, true)).to.equal(true);
    writeFileSync(`${file}-wal`, '');
    expect(await isLogLost(file, true)).to.equal(false);
  });
});
