import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { group, tag } from './harness.ts';
import { DriverStand } from './stand.ts';

const refused = new Fault(ErrorCode.READ_FAILED, 'The device refused the read with exception 2.');
const silent = new Fault(ErrorCode.NO_RESPONSE, 'Unit 7 does not answer.');

/** A driver that gives each tag the fault that stands at its place, or a number. */
async function standOf(faults: (Fault | undefined)[], count = faults.length): Promise<DriverStand> {
  const tags = Array.from({ length: count }, (_, index) => tag(`t${index}`, `1!40000${index}`));
  return DriverStand.of(
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

const told = (stand: DriverStand): string[] => stand.logged.filter((line) => line.includes('(error '));

describe('the log of faults', () => {
  it('has one line per cause, with the tags concerned, however often it happens', async () => {
    await using stand = await standOf([undefined, refused, silent, refused]);
    await stand.pass(60_000);
    expect(told(stand)).to.deep.equal([
      'The device refused the read with exception 2. (error 3000) Group "group 1", tags concerned: t1 (1!400001), t3 (1!400003).',
      'Unit 7 does not answer. (error 3015) Group "group 1", tags concerned: t2 (1!400002).',
    ]);
  });

  it('names some of many tags and counts the rest', async () => {
    await using stand = await standOf(new Array<Fault>(2000).fill(refused));
    await stand.pass(2000);
    expect(told(stand)).to.have.length(1);
    expect(told(stand)[0]).to.match(/t9 \(1!400009\) and 1990 more\.$/);
  });

  it('tells of tags that are new to a cause, and of all of them again after an hour', async () => {
    const faults: (Fault | undefined)[] = [refused, undefined];
    await using stand = await standOf(faults);
    await stand.pass(2000);
    faults[1] = refused;
    await stand.pass(120_000, 1000);
    expect(told(stand)).to.have.length(2);
    expect(told(stand)[1]).to.match(/tags concerned: t1 \(1!400001\)\.$/);
    faults[0] = undefined;
    await stand.pass(10_000, 1000);
    faults[0] = refused;
    await stand.pass(3_500_000, 10_000);
    expect(told(stand)).to.have.length(3);
    expect(told(stand)[2]).to.include('t0 (1!400000), t1 (1!400001)');
  });

  it('leaves a lost link to the line about the link, and ends where every tag has a cause of its own', async () => {
    const gone = new Fault(ErrorCode.DISCONNECTED, 'The cable is cut.');
    const all = Array.from(
      { length: 300 },
      (_, index) => new Fault(ErrorCode.READ_FAILED, `Cause ${index}.`),
    );
    await using lost = await standOf([gone]);
    await lost.pass(2000);
    expect(told(lost)).to.deep.equal([]);
    await using many = await standOf(all);
    await many.pass(10_000);
    expect(many.logged.filter((line) => line.includes('more than 100 different reasons'))).to.have.length(1);
    expect(told(many).length).to.be.within(40, 100);
  });
});
