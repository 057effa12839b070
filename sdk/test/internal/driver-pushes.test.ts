import { expect } from 'chai';
import { Attribute, ErrorCode } from '@tagway/schemas';
import { Fault, Quality, type Sample } from '@tagway/sdk';
import type { RunnerTag } from '@tagway/sdk/internal';
import { group, settled, tag } from './harness.ts';
import { DriverFixture, readAddresses, Script, shown } from './fixture.ts';

const { NOT_READY } = ErrorCode;
const ready = `!${NOT_READY}`;
const onChange = { attribute: Attribute.SUBSCRIBE };
const names = (count: number, more: Partial<RunnerTag> = {}): RunnerTag[] =>
  Array.from({ length: count }, (_, index) => tag(`t${index}`, String(100 + index), more));

/** A group that is pushed, with the script that pushes it. The first tick of group 1 comes after 618 ms. */
async function pushing(
  tags: readonly RunnerTag[],
  interval = 1_000_000,
  options = {},
): Promise<{ script: Script; fixture: DriverFixture }> {
  const script = new Script();
  const fixture = await DriverFixture.of(script.pushing, [group(1, interval, tags)], options);
  return { script, fixture };
}

const all = (samples: readonly Sample[]): string[] => samples.map((sample) => shown(sample, { all: true }));
const isEvent = ({ rows }: Sample): boolean => rows !== undefined;

describe('pushed points', () => {
  it('are not ready before their first report, and are not polled', async () => {
    const { script, fixture } = await pushing(names(2), 1000);
    await using _fixture = fixture;
    await fixture.pass(1000);
    script.push(1);
    await fixture.pass(1000);
    expect(all(fixture.samples())).to.deep.equal([`${ready} ${ready}`, `1 ${ready}`]);
    expect(script.reads).to.deep.equal([]);
  });

  it('with READ alone wait for the tick, which is the full state', async () => {
    const { script, fixture } = await pushing(names(2), 1000);
    await using _fixture = fixture;
    script.push(1, 2);
    script.push(3);
    await fixture.pass(500);
    expect(fixture.samples()).to.deep.equal([]);
    await fixture.pass(500);
    expect(all(fixture.samples())).to.deep.equal(['3 2']);
  });

  it('keep the values on their tags when what is left to polling changes during a read', async () => {
    const { script, fixture } = await pushing(names(4), 1000);
    await using _fixture = fixture;
    script.polled = [0, 1, 2, 3];
    await fixture.pass(1000);
    const answer = (at: number): void => {
      const { points, into, resolve } = script.reads[at] as Script['reads'][number];
      points.forEach(({ address }, index) => into.number(index, Number(address)));
      resolve();
    };
    expect(script.reads).to.have.length(1);
    script.polled = [2, 3];
    await fixture.pass(1000);
    answer(0);
    await fixture.pass(1000);
    expect(script.reads[1]?.points.map(({ address }) => address)).to.deep.equal(['102', '103']);
    script.polled = [1];
    answer(1);
    await settled();
    expect(all(fixture.samples())).to.deep.equal(['100 101 102 103', '100 101 102 103']);
  });

  it('win over a read that began before the push, for good', async () => {
    const { script, fixture } = await pushing(names(2), 1000);
    await using _fixture = fixture;
    script.polled = [0, 1];
    await fixture.pass(1000);
    script.push(999);
    script.polled = [1];
    const { into, resolve } = script.reads[0] as Script['reads'][number];
    into.number(0, 103);
    into.number(1, 104);
    resolve();
    await settled();
    expect(all(fixture.samples())).to.deep.equal(['999 104']);
  });

  it('take over what a read on demand brings: push and read do not disagree afterwards', async () => {
    const { script, fixture } = await pushing(names(2, onChange), 1000);
    await using _fixture = fixture;
    script.push(5, 6);
    await fixture.pass(20, 5);
    fixture.samples();
    const asked = fixture.node.poll(1);
    await settled();
    script.reads[0]?.into.number(0, 1);
    script.reads[0]?.resolve();
    await asked;
    await fixture.pass(3000, 100);
    expect(all(fixture.samples())).to.deep.equal(['1 6', '1 6', '1 6', '1 6']);
  });

  it('are not touched by a read on demand that fails as a whole', async () => {
    const { script, fixture } = await pushing(names(2), 1000);
    await using _fixture = fixture;
    script.push(5, 6);
    const asked = fixture.node.poll(1);
    await settled();
    script.reads[0]?.reject(new Fault(ErrorCode.DISCONNECTED));
    await asked;
    expect(all(fixture.samples())).to.deep.equal(['5 6']);
  });

  it('keep what was pushed when a tag is renamed or scaled otherwise, and what was read since', async () => {
    const { script, fixture } = await pushing(names(3), 1_000_000);
    await using _fixture = fixture;
    script.polled = [2];
    script.push(1, 2);
    const asked = fixture.node.poll(1);
    await settled();
    script.reads[0]?.into.number(1, 20);
    script.reads[0]?.into.number(2, 30);
    script.reads[0]?.resolve();
    await asked;
    const [a, b, c] = names(3) as [RunnerTag, RunnerTag, RunnerTag];
    fixture.samples();
    fixture.set(group(1, 1_000_000, [{ ...a, decimal: 0.1 }, b, c]));
    // Precision and a description are not the driver's business, nor is the layout's group name.
    fixture.set(group(1, 1_000_000, [a, { ...b, precision: 2 }, c]));
    const samples = fixture.samples();
    expect(all(samples)).to.deep.equal(['0.1 20 30', '1 20 30']);
    expect(samples.map(({ due }) => due)).to.deep.equal([undefined, undefined]);
  });

  it('of a watch that ends take nothing any more', async () => {
    const { script, fixture } = await pushing(names(1, onChange), 1_000_000);
    await using _fixture = fixture;
    const { report } = script;
    report.number(0, 1);
    fixture.set(group(1, 1_000_000, [tag('other', '7')]));
    fixture.samples();
    report.number(0, 2);
    report.send();
    await fixture.pass(100, 5);
    expect(fixture.samples()).to.deep.equal([]);
    expect(script.unwatched).to.equal(1);
  });

  it('are polled when the driver cannot watch them right now', async () => {
    await using fixture = await DriverFixture.of(
      {
        read: readAddresses,
        watch: () => {
          throw new Fault(ErrorCode.READ_FAILED, 'Too many subscriptions.');
        },
      },
      [group(1, 1000, names(2))],
    );
    await fixture.pass(1000);
    expect(fixture.logged.join()).to.contain('Too many subscriptions.');
    expect(all(fixture.samples())).to.deep.equal(['100 101']);
  });
});

describe('events', () => {
  it('leave in order, several per point, none merged: a 0-1-0 pulse is three', async () => {
    const { script, fixture } = await pushing(names(2, onChange));
    await using _fixture = fixture;
    script.push(0, 7);
    await fixture.pass(20, 5);
    fixture.samples();
    script.push(1);
    script.push(0);
    script.report.number(0, 1);
    script.report.number(0, 0);
    script.report.number(1, 8);
    script.report.send();
    await fixture.pass(20, 5);
    const [sample, ...others] = fixture.samples();
    expect(others).to.deep.equal([]);
    expect([...(sample?.rows ?? [])]).to.deep.equal([0, 0, 0, 0, 1]);
    expect([...(sample?.numbers ?? [])]).to.deep.equal([1, 0, 1, 0, 8]);
  });

  it('are gathered for at most ten milliseconds', async () => {
    const { script, fixture } = await pushing(names(1, onChange));
    await using _fixture = fixture;
    script.push(0);
    await fixture.pass(20, 5);
    fixture.samples();
    for (let value = 1; value <= 9; value++) {
      script.push(value);
      await fixture.pass(1, 1);
    }
    expect(fixture.samples()).to.deep.equal([]);
    await fixture.pass(1, 1);
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal(['1 2 3 4 5 6 7 8 9']);
  });

  it('begin with a whole sample that is due as a whole, and are not said twice', async () => {
    const { script, fixture } = await pushing([...names(1, onChange), tag('b', '')]);
    await using _fixture = fixture;
    script.push(5, 6);
    await fixture.pass(20, 5);
    script.push(7);
    await fixture.pass(20, 5);
    const samples = fixture.samples();
    expect(samples.map((sample) => [isEvent(sample), sample.due, shown(sample)])).to.deep.equal([
      [false, undefined, '5 6'],
      [true, undefined, '7'],
    ]);
  });

  it('that pulse before the first whole sample are said after it', async () => {
    const { script, fixture } = await pushing(names(1, onChange));
    await using _fixture = fixture;
    for (const value of [0, 1, 0]) script.push(value);
    await fixture.pass(20, 5);
    expect(fixture.samples().map((sample) => [isEvent(sample), shown(sample)])).to.deep.equal([
      [false, '0'],
      [true, '0 1 0'],
    ]);
  });

  it('are reported at the tick as the state only, no longer due', async () => {
    const { script, fixture } = await pushing([...names(1, onChange), tag('b', '')], 1000);
    await using _fixture = fixture;
    script.push(5, 6);
    await fixture.pass(2000);
    const [whole, tick] = fixture.samples();
    expect(whole && shown(whole)).to.equal('5 6');
    expect(tick && [shown(tick), shown(tick, { all: true })]).to.deep.equal(['6', '5 6']);
  });

  it('come with a change of value, quality or fault, and with every report if the driver says so', async () => {
    const { script, fixture } = await pushing(names(1, onChange));
    await using _fixture = fixture;
    const { report } = script;
    script.push(0);
    await fixture.pass(20, 5);
    fixture.samples();
    const faulty = new Fault(ErrorCode.NO_RESPONSE);
    const put = (value: number | Fault, quality = 0, every = false): void => {
      if (typeof value === 'number') report.number(0, value);
      else report.fault(0, value);
      report.stamp(0, 1000 + quality, quality);
      report.send({ every });
    };
    put(0);
    put(0, Quality.STALE);
    put(0, Quality.STALE);
    put(faulty);
    put(faulty);
    put(faulty, Quality.STALE);
    put(0);
    put(0);
    put(0, 0, true);
    put(0, 0, true);
    await fixture.pass(20, 5);
    const [sample] = fixture.samples();
    expect(sample && shown(sample)).to.equal('0 !3015 !3015 0 0 0');
    const { STALE } = Quality;
    expect([...(sample?.qualities ?? [])]).to.deep.equal([STALE, 0, STALE, 0, 0, 0]);
    expect([...(sample?.timestamps ?? [])].slice(0, 2)).to.deep.equal([1000 + STALE, 1000]);
  });

  it('within a deadband are for reads and inputs alone, in order with those beyond it', async () => {
    const { script, fixture } = await pushing(names(2, { ...onChange, threshold: 2 }), 1000);
    await using _fixture = fixture;
    script.push(0, 100);
    await fixture.pass(20, 5);
    fixture.samples();
    for (const value of [1, 3, 2]) script.push(value, 100 + value);
    await fixture.pass(20, 5);
    const [mixed, ...others] = fixture.sent
      .splice(0)
      .flatMap((one) => (one.op === 'sample' ? one.sample : []));
    expect(others).to.deep.equal([]);
    expect(mixed?.forCache).to.equal(undefined);
    expect([...(mixed?.rows ?? [])]).to.deep.equal([0, 1, 0, 1, 0, 1]);
    expect([...(mixed?.numbers ?? [])]).to.deep.equal([1, 101, 3, 103, 2, 102]);
    expect([...(mixed?.due ?? [])]).to.deep.equal([0, 0, 1, 1, 0, 0]);
    script.push(4);
    await fixture.pass(20, 5);
    const [kept] = fixture.sent.splice(0).flatMap((one) => (one.op === 'sample' ? one.sample : []));
    expect([kept?.forCache, kept?.due, [...(kept?.numbers ?? [])]]).to.deep.equal([true, undefined, [4]]);
  });

  it('within a deadband stay so when the driver reports every value', async () => {
    const { script, fixture } = await pushing([
      ...names(1, { ...onChange, threshold: 2 }),
      tag('b', '', onChange),
    ]);
    await using _fixture = fixture;
    script.push(0, 0);
    await fixture.pass(20, 5);
    fixture.samples();
    script.report.number(0, 1);
    script.report.number(1, 0);
    script.report.send({ every: true });
    await fixture.pass(20, 5);
    const [sample] = fixture.samples();
    expect([[...(sample?.rows ?? [])], [...(sample?.due ?? [])]]).to.deep.equal([
      [0, 1],
      [0, 1],
    ]);
  });

  it('stamp the latest value of their point, also when all stamps come after all values', async () => {
    const { script, fixture } = await pushing(names(3));
    await using _fixture = fixture;
    for (const index of [0, 1, 2, 0]) script.report.number(index, index + 1);
    for (const index of [0, 1, 2]) script.report.stamp(index, 10 + index, index);
    script.report.stamp(99, 1);
    script.report.send();
    script.report.stamp(0, 99, 99);
    await fixture.pass(1000);
    const [sample] = fixture.samples();
    expect([...(sample?.timestamps ?? [])]).to.deep.equal([10, 11, 12]);
    expect([...(sample?.qualities ?? [])]).to.deep.equal([0, 1, 2]);
  });

  it('make send false when the way out is full, until drained; what comes all the same is dropped and counted', async () => {
    const { script, fixture } = await pushing(names(1, onChange), 1_000_000, { window: 1000, queue: 2000 });
    await using _fixture = fixture;
    const { report } = script;
    let value = 0;
    const send = async (): Promise<boolean> => {
      report.number(0, ++value);
      report.send();
      await fixture.pass(20, 10);
      return report.send();
    };
    let sends = 0;
    while (await send()) expect(++sends).to.be.lessThan(100);
    let isDrained = false;
    const drained = report.drained.then(() => (isDrained = true));
    for (let more = 0; more < 30; more++) expect(await send()).to.equal(false);
    expect(isDrained).to.equal(false);
    const lost = fixture.dropped.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0);
    expect(lost).to.be.greaterThan(0);
    while (!isDrained) {
      fixture.take();
      await settled();
    }
    await drained;
    expect(report.send()).to.equal(true);
    const said = fixture.samples().reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0);
    // The first value was in a whole sample.
    expect(1 + said + lost).to.equal(value);
  });

  it('of a burst that does not wait leave in pieces, so that send can say when it is enough', async () => {
    const { script, fixture } = await pushing(names(1, onChange), 1_000_000, { window: 1000 });
    await using _fixture = fixture;
    const { report } = script;
    let sent = 0;
    do report.number(0, ++sent);
    while (report.send() && sent < 1_000_000);
    expect(sent).to.be.lessThan(100_000);
  });

  for (const points of [10, 10_000])
    it(`are not lost at 5000 changes a second on ${points} points`, async () => {
      const { script, fixture } = await pushing(names(points, onChange), 1000);
      await using _fixture = fixture;
      const { report } = script;
      for (let index = 0; index < points; index++) report.number(index, 0);
      report.send();
      await fixture.pass(20, 5);
      fixture.samples();
      const expected: number[][] = Array.from({ length: points }, () => []);
      const got: number[][] = Array.from({ length: points }, () => []);
      let worst = 0;
      for (let change = 1; change <= 15_000; change++) {
        const index = change % points;
        report.number(index, change);
        report.stamp(index, fixture.clock.now());
        expect(report.send()).to.equal(true);
        expected[index]?.push(change);
        if (change % 5 !== 0) continue;
        fixture.clock.advance(1);
        for (const sample of fixture.samples())
          sample.rows?.forEach((column, row) => {
            got[column]?.push(sample.numbers[row] as number);
            worst = Math.max(worst, sample.timestamp - (sample.timestamps?.[row] ?? 0));
          });
      }
      fixture.clock.advance(10);
      for (const sample of fixture.samples())
        sample.rows?.forEach((column, row) => got[column]?.push(sample.numbers[row] as number));
      expect(got).to.deep.equal(expected);
      expect(worst).to.be.at.most(10);
    });
});
