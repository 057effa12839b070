import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const file = import.meta.resolve('../../src/cli/quiet-sqlite.ts');

describe('the warnings of a gateway', () => {
  it('are without the one of Node 22 of its SQLite, and with all others', async () => {
    const script = `
      const { quietSqlite } = await import(${JSON.stringify(file)});
      quietSqlite();
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
      process.emitWarning('Another one is an experimental feature', 'ExperimentalWarning');
      process.emitWarning('SQLite is slow');
    `;
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stderr).to.not.include('SQLite is an experimental feature');
    expect(stderr)
      .to.include('ExperimentalWarning: Another one is an experimental feature')
      .and.to.include('Warning: SQLite is slow');
  });
});
