import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Folder } from './folder.ts';

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
/** Drivers with flaws: one that is made of the template's, and one that pushes. */
const suites = {
  faulty: fileURLToPath(new URL('faulty/suite.ts', import.meta.url)),
  pushing: fileURLToPath(new URL('pushing/suite.ts', import.meta.url)),
  unruled: fileURLToPath(new URL('unruled/suite.ts', import.meta.url)),
} as const;
type Suite = keyof typeof suites;

interface Report {
  readonly stats: { readonly passes: number };
  readonly failures: readonly { readonly title: string; readonly err: { readonly message: string } }[];
  readonly passes: readonly { readonly title: string }[];
}

/** Runs some tests of the suite against a driver with a flaw, in a process of their own. */
async function report(suite: Suite, flaw: string, grep: string): Promise<Report> {
  using folder = new Folder();
  const child = spawn(
    process.execPath,
    ['--conditions=source', mocha, '--reporter=json', '--grep', grep, suites[suite]],
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
    'forgets the result of a write': 'inline writes, and reads back',
    'reads everything before it writes': 'inline lets a write and another group pass',
    'says nothing of its link': 'inline lets no tag keep its value',
    'gives no reasons': 'inline reports why there is no link',
    'forgets when values arose': 'passes on when values arose',
    'gives a code for a text': 'gives in a sentence the reason why a point has no value',
    'fails to start without a word': 'gives in a sentence the reason why it cannot start',
    'hangs when it stops': 'inline stops in time',
  };
  /** The report of each flaw, and of none. Three are made at a time, because most of each is waiting. */
  const reports = new Map<string, Promise<Report>>();

  before(() => {
    const rows = Array.from({ length: 3 }, () => Promise.resolve<unknown>(undefined));
    for (const [index, flaw] of [...Object.keys(caught), ''].entries()) {
      const title = caught[flaw] ?? Object.values(caught).join('|');
      const row = index % rows.length;
      const made = (rows[row] as Promise<unknown>).then(() => report('faulty', flaw, title));
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

  it('shows what operators get to read', async () => {
    const { passes } = (await reports.get('')) as Report;
    const shown = passes.map(({ title }) => title).join('\n');
    expect(shown)
      .to.include('Read: The device refuses to read this variable.')
      .and.to.include('Start: The start fails as the test wants.')
      .and.to.include('temperature: 2023-11-14T22:13:20.000Z, quality 0x1');
  });

  const caughtPushing: Readonly<Record<string, string>> = {
    'makes values up': 'inline has no value for a point',
    'reports the latest alone': 'inline passes on everything',
  };
  for (const [flaw, title] of Object.entries(caughtPushing)) {
    it(`catches a driver that ${flaw}`, async () => {
      const { failures } = await report('pushing', flaw, title);
      expect(failures).to.have.length(1);
    });
  }

  const unexpected: Readonly<Record<string, string>> = {
    'reads what its device does not know': 'inline reads one outcome per point',
    'writes what its device does not know': 'inline writes, and reads back',
  };
  for (const [flaw, title] of Object.entries(unexpected)) {
    it(`shows what the wire script does not expect of a driver that ${flaw}`, async () => {
      const { failures } = await report('faulty', flaw, title);
      expect(failures.map(({ err }) => err.message)).to.have.lengthOf(1);
      expect(failures[0]?.err.message).to.match(/^No rule of the wire script fits, and this was received: /);
    });
  }

  it('ends a case with what the wire script does not expect, be it a read or a write', async () => {
    const { failures } = await report('unruled', '', '');
    expect(failures).to.have.length(3);
    for (const { title, err } of failures)
      expect(err.message, title).to.match(/^No rule of the wire script fits, and this was received: /);
  });

  it('lets a driver that pushes without a flaw pass everything', async () => {
    const { failures } = await report('pushing', '', '');
    expect(failures).to.deep.equal([]);
  });
});
