import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { resetPassword } from '../../src/app/without-gateway.ts';
import { readCommand } from '../../src/config/config.ts';
import { appliedKey } from '../../src/pair/config/local-copy.ts';
import { openSqliteStore } from '../../src/store/store.ts';

describe('a data folder of a pair that is changed without the pair', () => {
  it('is not taken for the configuration of the pair any more', async () => {
    const data = await mkdtemp(join(tmpdir(), 'tagway-left-'));
    try {
      const store = openSqliteStore(join(data, 'tagway.sqlite'));
      await store.commit({ set: [[appliedKey, { n: 7, generation: 'a' }]] });
      await store.close();
      const command = readCommand(['--data', data, '--reset-password'], {});
      if (command.run !== 'reset-password') throw new Error('It is another command.');
      await resetPassword(command.config);
      const after = openSqliteStore(join(data, 'tagway.sqlite'));
      expect([await after.has(appliedKey), await after.has('user/admin')]).to.deep.equal([false, true]);
      await after.close();
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});
