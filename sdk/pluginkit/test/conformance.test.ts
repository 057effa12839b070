import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Folder } from './folder.ts';

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const suite = fileURLToPath(new URL('faulty/suite.ts', import.meta.url));

interface Report {
  readonly stats: { readonly passes: number };
  readonly failures: readonly { readonly title: string }[];
}

/** Runs some tests of the suite against the faulty driver in a process of their own. */
async function report(flaw: string, grep: string): Promise<Report> {
  using folder = new Folder();
  const child = spawn(
    process.execPath,
    ['--conditions=source', mocha, '--reporter=json', '--grep', grep, suite],
    {
      env: { ...process.env, FLAW: flaw, TMPDIR: folder.path },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return JSON.parse(text.slice(text.indexOf('{\n'))) as Report;
}

describe('the conformance suite', function () {
  this.timeout(120_000);

  const caught: Readonly<Record<string, string>> = {
    'connects in create': 'create opens nothing',
    'fails to start without its device': 'inline starts without its device',
    'forgets a timer': 'forked leaves nothing behind',
    'forgets a connection': 'inline leaves nothing behind',
    'leaves an outcome out': 'inline reads one outcome per point',
    'gives numbers for 64 bits': 'inline reads one outcome per point',
    'throws for one bad address': 'inline reports a bad address',
    'does not listen to its signal': 'inline ends a read within a second',
    'writes to the temporary folder': 'needs to write nowhere',
    'caches what it has read': 'inline survives a device that dies',
  };
  /** The report of each flaw, and of none. Three are made at a time, because most of each is waiting. */
  const reports = new Map<string, Promise<Report>>();

  before(() => {
    const rows = Array.from({ length: 3 }, () => Promise.resolve<unknown>(undefined));
    for (const [index, flaw] of [...Object.keys(caught), ''].entries()) {
      const title = caught[flaw] ?? Object.values(caught).join('|');
      const row = index % rows.length;
      const made = (rows[row] as Promise<unknown>).then(() => report(flaw, title));
      rows[row] = made.catch(() => undefined);
      reports.set(flaw, made);
    }
  });

  for (const flaw of Object.keys(caught)) {
    it(`catches a driver that ${flaw}`, async () => {
      const { failures } = (await reports.get(flaw)) as Report;
      expect(failures.map(({ title: found }) => found)).to.have.length(1);
    });
  }

  it('lets a driver without a flaw pass all of those', async () => {
    const { failures, stats } = (await reports.get('')) as Report;
    expect(failures).to.deep.equal([]);
    expect(stats.passes).to.equal(new Set(Object.values(caught)).size);
  });
});
