import { expect } from 'chai';
import { pointsOf } from '@tagway/testkit';
import { Device, exception } from './device.ts';
import { openFixture } from './fixture.ts';

/** Points of the registers `from` to `to - 1`. */
function range(from: number, to: number) {
  return pointsOf(...numbersOf(from, to).map((number) => `1!4${number + 1}`));
}

function numbersOf(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function deviceWithHoles(...holes: number[]): Device {
  const device = new Device();
  for (const hole of holes) device.memory.holes.add(hole);
  return device;
}

describe('a device that refuses reads', () => {
  it('one bad register of 125 costs only its own tag, at once, and two requests per cycle from then on', async () => {
    await using fixture = await openFixture({}, deviceWithHoles(50));
    const points = range(0, 125);
    const expected = numbersOf(0, 125).map((number) => (number === 50 ? 'fault 3000' : number));
    expect(await fixture.read(points)).to.deep.equal(expected);
    expect(fixture.device.asked()).to.have.length.within(3, 16);
    expect(await fixture.read(points)).to.deep.equal(expected);
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+50', '1/3 51+74']);
  });

  it('asks for a bad register alone, after 10 s, then 20 s, up to 5 min', async () => {
    await using fixture = await openFixture({}, deviceWithHoles(1));
    const points = range(0, 3);
    await fixture.read(points);
    const pauses: number[] = [];
    let waited = 0;
    for (let step = 0; step < 400 && pauses.length < 7; step++) {
      fixture.device.asked();
      await fixture.read(points);
      if (fixture.device.asked().includes('1/3 1+1')) {
        pauses.push(waited);
        waited = 0;
      }
      fixture.record.clockOffset += 5000;
      waited += 5;
    }
    expect(pauses.map((pause) => Math.round(pause / 10) * 10)).to.deep.equal([10, 20, 40, 80, 160, 300, 300]);
  });

  it('reads a register that has come to exist, and packs it with its neighbours again', async () => {
    await using fixture = await openFixture({}, deviceWithHoles(1));
    const points = range(0, 3);
    await fixture.read(points);
    fixture.device.memory.holes.clear();
    fixture.record.clockOffset += 11_000;
    expect(await fixture.read(points)).to.deep.equal([0, 1, 2]);
    fixture.device.asked();
    expect(await fixture.read(points)).to.deep.equal([0, 1, 2]);
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+3']);
  });

  it('remembers what is bad when the group changes, and for other groups', async () => {
    await using fixture = await openFixture({}, deviceWithHoles(50));
    await fixture.read(range(0, 100));
    fixture.device.asked();
    const readings = await fixture.read(range(0, 110));
    expect(readings[50]).to.equal('fault 3000');
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+50', '1/3 51+59']);
    fixture.device.memory.holes.clear();
    fixture.record.clockOffset += 11_000;
    const other = pointsOf('1!400051');
    expect(await fixture.read(other)).to.deep.equal([50]);
    expect((await fixture.read(range(0, 100)))[50]).to.equal(50);
  });

  it('tries a bad register at once on a new connection', async () => {
    await using fixture = await openFixture({}, deviceWithHoles(1));
    const points = range(0, 3);
    await fixture.read(points);
    fixture.device.memory.holes.clear();
    fixture.device.disconnectAll();
    let readings = await fixture.read(points);
    for (let tries = 0; tries < 500 && readings[1] !== 1; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      readings = await fixture.read(points);
    }
    expect(readings).to.deep.equal([0, 1, 2]);
  });

  it('spends at most 32 extra requests on a cycle, and finds every bad register in the end', async () => {
    const bad = numbersOf(0, 1000).filter((number) => number % 10 === 7);
    await using fixture = await openFixture({ max_in_flight: 4 }, deviceWithHoles(...bad));
    const points = range(0, 1000);
    const expected = numbersOf(0, 1000).map((number) => (number % 10 === 7 ? 'fault 3000' : number));
    let cycles = 0;
    for (; cycles < 100; cycles++) {
      const readings = await fixture.read(points);
      expect(fixture.device.asked().length).to.be.at.most(101 + 32);
      // Meanwhile a tag may have a fault too much, but never a wrong value.
      for (const [index, reading] of readings.entries()) {
        if (reading !== 'fault 3000') expect(reading).to.equal(expected[index]);
      }
      if (JSON.stringify(readings) === JSON.stringify(expected)) break;
    }
    expect(cycles).to.be.below(100);
    await fixture.read(points);
    fixture.device.asked();
    await fixture.read(points);
    expect(fixture.device.asked()).to.have.length(101);
  });

  it('reads around a gap that cannot be read', async () => {
    await using fixture = await openFixture({ max_gap: 10 }, deviceWithHoles(3));
    const points = pointsOf('1!400001', '1!400002', '1!400006', '1!400010');
    expect(await fixture.read(points)).to.deep.equal([0, 1, 5, 9]);
    fixture.device.asked();
    expect(await fixture.read(points)).to.deep.equal([0, 1, 5, 9]);
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+2', '1/3 5+5']);
  });

  it('does not reach over a register that it knows to be bad', async () => {
    await using fixture = await openFixture({ max_gap: 10 }, deviceWithHoles(2));
    await fixture.read(range(0, 5));
    fixture.device.asked();
    expect(await fixture.read(range(0, 5))).to.deep.equal([0, 1, 'fault 3000', 3, 4]);
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+2', '1/3 3+2']);
  });

  it('learns a boundary that the device does not read across, and tries it again later', async () => {
    await using fixture = await openFixture();
    fixture.device.script = (request, usual) =>
      request.start < 30 && request.start + request.count > 30 ? exception(request, 2) : usual();
    const points = range(0, 100);
    for (let cycle = 0; cycle < 3; cycle++) {
      expect(await fixture.read(points)).to.deep.equal(numbersOf(0, 100));
    }
    fixture.device.asked();
    await fixture.read(points);
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+30', '1/3 30+70']);
    fixture.device.script = (_request, usual) => usual();
    fixture.record.clockOffset += 11_000;
    expect(await fixture.read(points)).to.deep.equal(numbersOf(0, 100));
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+100']);
  });

  it('settles on smaller requests for a device that takes only 60 registers', async () => {
    await using fixture = await openFixture();
    fixture.device.script = (request, usual) => (request.count > 60 ? exception(request, 3) : usual());
    const points = range(0, 500);
    for (let cycle = 0; cycle < 8; cycle++) await fixture.read(points);
    fixture.device.asked();
    expect(await fixture.read(points)).to.deep.equal(numbersOf(0, 500));
    expect(fixture.device.asked()).to.have.length.within(9, 20);
  });

  it('never splits a tag', async () => {
    await using fixture = await openFixture({}, deviceWithHoles(5));
    const points = pointsOf(...numbersOf(0, 8).map((number) => [`1!4${2 * number + 1}`, 6] as const));
    const readings = await fixture.read(points);
    expect(readings.filter((reading) => reading === 'fault 3000')).to.have.length(1);
    expect(readings[2]).to.equal('fault 3000');
    for (const request of fixture.device.asked()) expect(request).to.match(/ \d*[02468]\+\d*[02468]$/);
  });

  it('takes exception 1 as a word about the whole area, and leaves the other areas alone', async () => {
    await using fixture = await openFixture();
    fixture.device.script = (request, usual) => (request.code === 4 ? exception(request, 1) : usual());
    const points = pointsOf('1!300001', '1!300100', '1!400001');
    expect(await fixture.read(points)).to.deep.equal(['fault 3000', 'fault 3000', 0]);
    fixture.device.asked();
    expect(await fixture.read(points)).to.deep.equal(['fault 3000', 'fault 3000', 0]);
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+1']);
    fixture.device.script = (_request, usual) => usual();
    fixture.record.clockOffset += 11_000;
    await fixture.read(points);
    expect(await fixture.read(points)).to.deep.equal([0, 99, 0]);
  });

  it('repeats a request that the device was too busy for', async () => {
    await using fixture = await openFixture();
    let busy = 1;
    fixture.device.script = (request, usual) => (busy-- > 0 ? exception(request, 6) : usual());
    expect(await fixture.read(range(0, 10))).to.deep.equal(numbersOf(0, 10));
    busy = 1000;
    const readings = await fixture.read(range(0, 10));
    expect(new Set(readings)).to.deep.equal(new Set(['fault 3000']));
    busy = 0;
    fixture.device.asked();
    expect(await fixture.read(range(0, 10))).to.deep.equal(numbersOf(0, 10));
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+10']);
  });

  it('takes exceptions 10 and 11 of a gateway as silence of that unit alone', async () => {
    await using fixture = await openFixture();
    fixture.device.script = (request, usual) => (request.unit === 1 ? exception(request, 11) : usual());
    const points = pointsOf('1!400001', '1!400100', '2!400003');
    expect(await fixture.read(points)).to.deep.equal(['fault 3015', 'fault 3015', 2]);
    expect(fixture.device.asked()).to.deep.equal(['1/3 0+1', '2/3 2+1']);
    expect(fixture.device.connections).to.equal(1);
  });
});
