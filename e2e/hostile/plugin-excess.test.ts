import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readValues } from '../kit/configure.ts';
import { type Figures, Observation } from './figures.ts';
import { UnrulyGateway } from './unruly.ts';

const megabyte = 2 ** 20;
/** Whichever comes first: an allocation that the system refuses, or the gateway's look at the memory of its runners. */
const limitReached =
  /^(?:took \d+ MB of memory and was ended|had no memory left and (?:was ended by SIG\w+|ended with exit code \d+)); 192 MB are allowed with a heap of 64 MB \(--runner-memory\)\.$/;

describe('a plugin that takes too much', function () {
  this.timeout(60_000);
  const ids = ['print', 'print-lines', 'take-memory', 'burst-memory', 'burst-heap'];
  let unruly: UnrulyGateway;

  before(async () => {
    unruly = await UnrulyGateway.start(ids, ['--runner-memory', '64', '--log-level', 'info']);
    for (const id of ids) await unruly.add(id);
  });
  after(() => unruly?.dispose());

  /** What the gateway took, and how long it kept others waiting, while a plugin did its worst. */
  function expectShare({ pause, before, after }: Figures): void {
    expect(pause, 'milliseconds of the slowest answer').to.be.lessThan(1000);
    expect(after - before, 'megabytes').to.be.lessThan(100);
  }

  it('prints 600 MB without an end of line: the gateway keeps a short line and says how much it left out', async () => {
    const observation = await Observation.begin(unruly.gateway, unruly.client);
    await unruly.command('print', 'print');
    const [, left] = await logged(/print printed: x{1000}… \((\d+) characters more were left out\)/);
    expect(Number(left)).to.equal(75 * 8 * megabyte - 1000);
    expectShare(await observation.end());
    await readValues(unruly.client, 'print', 'group');
    await unruly.goesOn();
  });

  it('prints 20 000 lines: the first of a second are in the log, the others are counted', async () => {
    await unruly.command('print-lines', 'print-lines');
    await logged(/print-lines printed: line 49\b/);
    await logged(/print-lines printed: \d+ lines were left out: it prints too much/, () =>
      unruly.command('print-lines', 'print-lines'),
    );
    expect((await unruly.log()).match(/printed: line \d+/g)?.length).to.be.lessThan(1000);
    await unruly.goesOn();
  });

  it('fills buffers outside of its heap: its runner ends with a reason', async () => {
    const observation = await Observation.begin(unruly.gateway, unruly.client);
    await unruly.command('take-memory', 'take-memory');
    expect(await unruly.whyEnded('take-memory', 20_000)).to.match(limitReached);
    expectShare(await observation.end());
    await unruly.goesOn();
    await readValues(unruly.client, 'take-memory', 'group');
  });

  it('takes memory in one burst: the system refuses what is beyond the limit, and its runner ends with a reason', async () => {
    const observation = await Observation.begin(unruly.gateway, unruly.client);
    await unruly.command('burst-memory', 'burst-memory');
    expect(await unruly.whyEnded('burst-memory', 20_000)).to.match(limitReached);
    const folders = join(unruly.gateway.data, 'nodes');
    const [peak = ''] = (await readdir(folders, { recursive: true })).filter((name) =>
      name.endsWith('/peak'),
    );
    const megabytes = Number(await readFile(join(folders, peak), 'utf8'));
    expect(megabytes, 'megabytes of buffers').to.be.within(96, 320);
    expectShare(await observation.end());
    await unruly.goesOn();
    await readValues(unruly.client, 'burst-memory', 'group');
  });

  it('fills its heap in one burst: the reason has the limit, too', async () => {
    await unruly.command('burst-heap', 'burst-heap');
    expect(await unruly.whyEnded('burst-heap', 20_000)).to.match(limitReached);
    await unruly.goesOn();
  });

  it('runs again when the gateway is started again', () => unruly.restartsWith('take-memory'));

  async function logged(pattern: RegExp, again?: () => Promise<unknown>): Promise<RegExpMatchArray> {
    const end = performance.now() + 20_000;
    for (;;) {
      const match = (await unruly.log()).match(pattern);
      if (match !== null) return match;
      if (performance.now() > end) throw new Error(`The log has no line with ${String(pattern)}.`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await again?.();
    }
  }
});
