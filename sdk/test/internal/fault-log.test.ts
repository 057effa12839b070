import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { group, tag } from './harness.ts';
import { DriverFixture } from './fixture.ts';

const refused = new Fault(ErrorCode.READ_FAILED, 'The device refused the read with exception 2.');
const silent = new Fault(ErrorCode.NO_RESPONSE, 'Unit 7 does not answer.');

/** A driver that gives each tag the fault that stands at its place, or a number. */
async function standOf(faults: (Fault | undefined)[], count = faults.length): Promise<DriverFixture> {
  const tags = Array.from({ length: count }, (_, index) => tag(`t${index}`, `1!40000${index}`));
  return DriverFixture.of(
    {
      async read(points, into) {
        for (const index of points.keys()) {
          const fault = faults[index];
          if (fault === undefined) into.number(index, 1);
          else into.fault(index, fault);
        }
      },
    },
    [group(1, 1000, tags)],
  );
}

const said = (fixture: DriverFixture): string[] => fixture.logged.filter((line) => line.includes('(error '));

describe('the log of faults', () => {
  it('has one line per cause, with the tags concerned, however often it happens', async () => {
    await using fixture = await standOf([undefined, refused, silent, refused]);
    await fixture.pass(60_000);
    expect(said(fixture)).to.deep.equal([
      'The device refused the read with exception 2. (error 3000) Group "group 1", tags concerned: t1 (1!400001), t3 (1!400003).',
      'Unit 7 does not answer. (error 3015) Group "group 1", tags concerned: t2 (1!400002).',
    ]);
  });

  it('names some of many tags and counts the rest', async () => {
    await using fixture = await standOf(new Array<Fault>(2000).fill(refused));
    await fixture.pass(2000);
    expect(said(fixture)).to.have.length(1);
    expect(said(fixture)[0]).to.match(/t9 \(1!400009\) and 1990 more\.$/);
  });

  it('logs tags that are new to a cause, and all of them again after an hour', async () => {
    const faults: (Fault | undefined)[] = [refused, undefined];
    await using fixture = await standOf(faults);
    await fixture.pass(2000);
    faults[1] = refused;
    await fixture.pass(120_000, 1000);
    expect(said(fixture)).to.have.length(2);
    expect(said(fixture)[1]).to.match(/tags concerned: t1 \(1!400001\)\.$/);
    faults[0] = undefined;
    await fixture.pass(10_000, 1000);
    faults[0] = refused;
    await fixture.pass(3_500_000, 10_000);
    expect(said(fixture)).to.have.length(3);
    expect(said(fixture)[2]).to.include('t0 (1!400000), t1 (1!400001)');
  });

  it('leaves a lost link to the line about the link, and ends where every tag has a cause of its own', async () => {
    const gone = new Fault(ErrorCode.DISCONNECTED, 'The cable is cut.');
    const all = Array.from(
      { length: 300 },
      (_, index) => new Fault(ErrorCode.READ_FAILED, `Cause ${index}.`),
    );
    await using lost = await standOf([gone]);
    await lost.pass(2000);
    expect(said(lost)).to.deep.equal([]);
    await using many = await standOf(all);
    await many.pass(10_000);
    expect(many.logged.filter((line) => line.includes('more than 100 different reasons'))).to.have.length(1);
    expect(said(many).length).to.be.within(40, 100);
  });

  it('forgets a group that is removed: a hundred groups that come and go leave room for the next cause', async () => {
    await using fixture = await standOf([refused]);
    for (let id = 2; id <= 120; id++) {
      fixture.set(group(id, 1000, [tag('t', '1!400000')]));
      await fixture.pass(2000, 1000);
      await fixture.node.removeGroup(id);
    }
    expect(fixture.logged.filter((line) => line.includes('different reasons'))).to.deep.equal([]);
    expect(said(fixture).at(-1)).to.include('"group 120"');
  });
});
