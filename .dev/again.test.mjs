import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stateOf } from './again.mjs';
import { inRoot } from './workspace.mjs';

describe('A command that is started again after a change', () => {
  let folder;
  let file;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-again-'));
    file = join(folder, 'source.ts');
    await writeFile(file, 'one');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Puts another file in the place of the file, as many editors do. */
  async function replace(text) {
    await writeFile(`${file}~`, text);
    await rename(`${file}~`, file);
  }

  it('sees that a file is another one, whatever its size and time', async () => {
    await utimes(file, 1, 1);
    const before = stateOf([file]);
    expect(stateOf([file])).to.equal(before);
    await writeFile(`${file}~`, 'two');
    await utimes(`${file}~`, 1, 1);
    await rename(`${file}~`, file);
    expect(stateOf([file])).to.not.equal(before);
    await rm(file);
    expect(stateOf([file])).to.not.equal(before);
  });

  it('is ended and started for every file that is replaced', async () => {
    const script = `
      import { again, stateOf } from ${JSON.stringify(inRoot('.dev/again.mjs'))};
      import { run } from ${JSON.stringify(inRoot('.dev/process.mjs'))};
      const file = ${JSON.stringify(file)};
      const command = 'console.log(fs.readFileSync(process.argv[1], "utf8")); setInterval(() => 0, 1e6)';
      await again(() => stateOf([file]), (started) => run(process.execPath, ['-e', command, file], { started }));
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const said = async () => (await lines.next()).value;
    try {
      expect(await said()).to.equal('one');
      for (const text of ['two', 'six']) {
        await replace(text);
        expect(await said()).to.include('starting again');
        expect(await said()).to.equal(text);
      }
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
});
