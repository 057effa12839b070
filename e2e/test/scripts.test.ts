import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');

/** The programs behind `npm run`, by the name of the script. */
const programs = {
  bench: 'e2e/bench/main.ts',
  soak: 'e2e/soak/main.ts',
  screens: 'e2e/page/screens.ts',
  'trial:pair': 'e2e/pair/main.ts',
};

function run(program: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--conditions=source', join(root, program), ...args], {
    cwd: root,
    encoding: 'utf8',
  });
}

describe('the scripts of the repository', () => {
  for (const [name, program] of Object.entries(programs)) {
    it(`${name} prints its options, and nothing else, for --help`, () => {
      const { status, stdout, stderr } = run(program, '--help');
      expect(stdout)
        .to.match(new RegExp(`^Usage: npm run ${name} -- \\[options\\]\n`))
        .and.include('--help');
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    });

    it(`${name} refuses an option that it does not have in a sentence, with the options, and begins nothing`, () => {
      const { status, stdout, stderr } = run(program, '--nonsense');
      expect(stderr)
        .to.match(/^Unknown option '--nonsense'.*\n\nUsage: npm run /)
        .and.not.match(/^ +at /m);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    });
  }
});
