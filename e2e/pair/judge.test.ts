import { expect } from 'chai';
import { brokenBy, type FaultRow, lineOf, shuffled } from './fault-trial.ts';
import { faults } from './faults.ts';
import { judge, quantile, stopsWithin } from './judge.ts';
import { faultReport } from './report.ts';
import type { Poll } from './tenures.ts';

const faultOf = (limit: string): FaultRow['fault'] => {
  const fault = faults.find((one) => one.limit === limit);
  if (fault === undefined) throw new Error(`No fault has the limit "${limit}".`);
  return fault;
};

const row = (limit: string, more: Partial<FaultRow> = {}): FaultRow => ({
  fault: faultOf(limit),
  hasGate: true,
  active: 'west',
  stuck: undefined,
  polledFor: undefined,
  backAfter: undefined,
  patience: 1,
  gap: 500,
  switches: limit === 'none' ? 0 : 1,
  overlapping: 0,
  overlap: 0,
  ...more,
});

const broken = (one: FaultRow): number => brokenBy(one, stopsWithin).length;

describe('the judge of two gateways', () => {
  it('takes the gap of a switch, and the longest pause when there was none', () => {
    const polls = (from: string, ...times: number[]): Poll[] => times.map((at) => ({ from, at }));
    const west = polls('west', 0, 100, 200, 300);
    const verdict = { overlapping: 0, overlap: 0 };
    const switched = [...west, ...polls('east', 900, 1000, 1100)];
    expect(judge(switched, 250, 1100)).to.deep.equal({ gap: 600, switches: 1, ...verdict });
    const paused = [...west, ...polls('west', 700, 800)];
    expect(judge(paused, 250, 800)).to.deep.equal({ gap: 400, switches: 0, ...verdict });
  });

  it('says what broke a limit, and nothing else', () => {
    for (const limit of ['planned', 'crash', 'machine', 'none', 'any'])
      expect(broken(row(limit))).to.equal(0);
    expect(broken(row('planned', { gap: 1100 }))).to.equal(1);
    expect(broken(row('planned', { switches: 0 }))).to.equal(1);
    expect(broken(row('crash', { gap: 3100 }))).to.equal(1);
    expect(broken(row('machine', { gap: 10_100 }))).to.equal(1);
    expect(broken(row('none', { switches: 1 }))).to.equal(1);
    expect(broken(row('any', { gap: 60_000 }))).to.equal(0);
    expect(broken(row('any', { polledFor: 3600 }))).to.equal(1);
    expect(broken(row('any', { stuck: 'Nobody is active.' }))).to.equal(1);
  });

  it('forgives overlaps only where the kernel does not filter', () => {
    expect(broken(row('machine', { overlapping: 1 }))).to.equal(1);
    expect(broken(row('machine', { overlapping: 1, hasGate: false }))).to.equal(0);
    const { lines } = faultReport([
      row('machine', { overlapping: 2, hasGate: false }),
      row('machine', { hasGate: false }),
      row('machine'),
    ]);
    expect(lines.find((line) => line.startsWith('| all'))).to.match(/0 of 1 \|\s+1 of 2 \|$/);
  });

  it('judges the half of all faults of a class, too', () => {
    const slow = row('crash', { gap: 2000 });
    expect(faultReport([slow, slow, row('crash')]).broken).to.have.length(1);
    expect(faultReport([slow, row('crash'), row('crash')]).broken).to.deep.equal([]);
  });

  it('has each kind of fault once before one comes again', () => {
    const drawn = shuffled(faults, (below) => below - 1);
    const first = faults.map((): unknown => drawn.next().value);
    expect(new Set(first).size).to.equal(faults.length);
    expect(new Set(faults.map(({ kind }) => kind)).size).to.equal(faults.length);
  });

  it('tells one fault in one line', () => {
    expect(lineOf(row('crash'))).to.match(/west was active, gap 500 ms, 0 overlapping, switch$/);
    expect(quantile([5, 1, 4, 2, 3], 0.99)).to.equal(5);
    expect(quantile([], 0.5)).to.be.NaN;
  });
});
