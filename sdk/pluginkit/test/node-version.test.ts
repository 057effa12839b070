import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { problemOfNode } from '../src/node-version.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** Makes a Node say that it is an older one. */
const pretend =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})';

/** Runs a command of the kit on a Node that calls itself 20. */
function run(...args: string[]): Promise<{ code: unknown; output: string; errors: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=source', '--import', pretend, main, ...args],
      { timeout: 20_000 },
      (error, output, errors) => resolve({ code: error?.code ?? 0, output, errors }),
    );
  });
}

describe('the kit on an old Node', function () {
  this.timeout(60_000);

  it('knows which one is too old', () => {
    expect(problemOfNode('22.19.0')).to.equal(undefined);
    expect(problemOfNode('24.0.0')).to.equal(undefined);
    for (const version of ['22.18.0', '20.20.2', '18.0.0'])
      expect(problemOfNode(version), version).to.include(`22.19 or newer, and this is ${version}. `);
  });

  for (const command of ['create', 'build', 'check', 'test', 'docs', 'pack', 'dev'])
    it(`refuses ${command} at once, in one line`, async () => {
      const begin = performance.now();
      const { code, output, errors } = await run(command);
      expect({ code, output, errors }).to.deep.equal({
        code: 1,
        output: '',
        errors: `${problemOfNode('20.20.2') ?? ''}\n`,
      });
      expect(performance.now() - begin).to.be.below(10_000);
    });
});
