import { expect } from 'chai';
import { pointsOf } from '@tagway/testkit';
import { Device, exception } from './device.ts';
import { plantOf } from './plant.ts';

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
    await using plant = await plantOf({}, deviceWithHoles(50));
    const points = range(0, 125);
    const expected = numbersOf(0, 125).map((number) => (number === 50 ? 'fault 3000' : number));
    expect(await plant.read(points)).to.deep.equal(expected);
    expect(plant.device.asked()).to.have.length.within(3, 16);
    expect(await plant.read(points)).to.deep.equal(expected);
    expect(plant.device.asked()).to.deep.equal(['1/3 0+50', '1/3 51+74']);
  });

  it('asks for a bad register alone, after 10 s, then 20 s, up to 5 min', async () => {
    await using plant = await plantOf({}, deviceWithHoles(1));
    const points = range(0, 3);
    await plant.read(points);
    const pauses: number[] = [];
    let waited = 0;
    for (let step = 0; step < 400 && pauses.length < 7; step++) {
      plant.device.asked();
      await plant.read(points);
      if (plant.device.asked().includes('1/3 1+1')) {
        pauses.push(waited);
        waited = 0;
      }
      plant.record.later += 5000;
      waited += 5;
    }
    expect(pauses.map((pause) => Math.round(pause / 10) * 10)).to.deep.equal([10, 20, 40, 80, 160, 300, 300]);
  });

  it('reads a register that has come to exist, and packs it with its neighbours again', async () => {
    await using plant = await plantOf({}, deviceWithHoles(1));
    const points = range(0, 3);
    await plant.read(points);
    plant.device.memory.holes.clear();
    plant.record.later += 11_000;
    expect(await plant.read(points)).to.deep.equal([0, 1, 2]);
    plant.device.asked();
    expect(await plant.read(points)).to.deep.equal([0, 1, 2]);
    expect(plant.device.asked()).to.deep.equal(['1/3 0+3']);
  });

  it('remembers what is bad when the group changes, and for other groups', async () => {
    await using plant = await plantOf({}, deviceWithHoles(50));
    await plant.read(range(0, 100));
    plant.device.asked();
    const readings = await plant.read(range(0, 110));
    expect(readings[50]).to.equal('fault 3000');
    expect(plant.device.asked()).to.deep.equal(['1/3 0+50', '1/3 51+59']);
    plant.device.memory.holes.clear();
    plant.record.later += 11_000;
    const other = pointsOf('1!400051');
    expect(await plant.read(other)).to.deep.equal([50]);
    expect((await plant.read(range(0, 100)))[50]).to.equal(50);
  });

  it('tries a bad register at once on a new connection', async () => {
    await using plant = await plantOf({}, deviceWithHoles(1));
    const points = range(0, 3);
    await plant.read(points);
    plant.device.memory.holes.clear();
    plant.device.cut();
    let readings = await plant.read(points);
    for (let tries = 0; tries < 500 && readings[1] !== 1; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      readings = await plant.read(points);
    }
    expect(readings).to.deep.equal([0, 1, 2]);
  });

  it('spends at most 32 extra requests on a cycle, and finds every bad register in the end', async () => {
    const bad = numbersOf(0, 1000).filter((number) => number % 10 === 7);
    await using plant = await plantOf({ max_in_flight: 4 }, deviceWithHoles(...bad));
    const points = range(0, 1000);
    const expected = numbersOf(0, 1000).map((number) => (number % 10 === 7 ? 'fault 3000' : number));
    let cycles = 0;
    for (; cycles < 100; cycles++) {
      const readings = await plant.read(points);
      expect(plant.device.asked().length).to.be.at.most(101 + 32);
      // Meanwhile a tag may have a fault too much, but never a wrong value.
      for (const [index, reading] of readings.entries()) {
        if (reading !== 'fault 3000') expect(reading).to.equal(expected[index]);
      }
      if (JSON.stringify(readings) === JSON.stringify(expected)) break;
    }
    expect(cycles).to.be.below(100);
    await plant.read(points);
    plant.device.asked();
    await plant.read(points);
    expect(plant.device.asked()).to.have.length(101);
  });

  it('reads around a gap that cannot be read', async () => {
    await using plant = await plantOf({ max_gap: 10 }, deviceWithHoles(3));
    const points = pointsOf('1!400001', '1!400002', '1!400006', '1!400010');
    expect(await plant.read(points)).to.deep.equal([0, 1, 5, 9]);
    plant.device.asked();
    expect(await plant.read(points)).to.deep.equal([0, 1, 5, 9]);
    expect(plant.device.asked()).to.deep.equal(['1/3 0+2', '1/3 5+5']);
  });

  it('does not reach over a register that it knows to be bad', async () => {
    await using plant = await plantOf({ max_gap: 10 }, deviceWithHoles(2));
    await plant.read(range(0, 5));
    plant.device.asked();
    expect(await plant.read(range(0, 5))).to.deep.equal([0, 1, 'fault 3000', 3, 4]);
    expect(plant.device.asked()).to.deep.equal(['1/3 0+2', '1/3 3+2']);
  });

  it('learns a boundary that the device does not read across, and tries it again later', async () => {
    await using plant = await plantOf();
    plant.device.script = (request, usual) =>
      request.start < 30 && request.start + request.count > 30 ? exception(request, 2) : usual();
    const points = range(0, 100);
    for (let cycle = 0; cycle < 3; cycle++) {
      expect(await plant.read(points)).to.deep.equal(numbersOf(0, 100));
    }
    plant.device.asked();
    await plant.read(points);
    expect(plant.device.asked()).to.deep.equal(['1/3 0+30', '1/3 30+70']);
    plant.device.script = (_request, usual) => usual();
    plant.record.later += 11_000;
    expect(await plant.read(points)).to.deep.equal(numbersOf(0, 100));
    expect(plant.device.asked()).to.deep.equal(['1/3 0+100']);
  });

  it('settles on smaller requests for a device that takes only 60 registers', async () => {
    await using plant = await plantOf();
    plant.device.script = (request, usual) => (request.count > 60 ? exception(request, 3) : usual());
    const points = range(0, 500);
    for (let cycle = 0; cycle < 8; cycle++) await plant.read(points);
    plant.device.asked();
    expect(await plant.read(points)).to.deep.equal(numbersOf(0, 500));
    expect(plant.device.asked()).to.have.length.within(9, 20);
  });

  it('never splits a tag', async () => {
    await using plant = await plantOf({}, deviceWithHoles(5));
    const points = pointsOf(...numbersOf(0, 8).map((number) => [`1!4${2 * number + 1}`, 6] as const));
    const readings = await plant.read(points);
    expect(readings.filter((reading) => reading === 'fault 3000')).to.have.length(1);
    expect(readings[2]).to.equal('fault 3000');
    for (const request of plant.device.asked()) expect(request).to.match(/ \d*[02468]\+\d*[02468]$/);
  });

  it('takes exception 1 as a word about the whole area, and leaves the other areas alone', async () => {
    await using plant = await plantOf();
    plant.device.script = (request, usual) => (request.code === 4 ? exception(request, 1) : usual());
    const points = pointsOf('1!300001', '1!300100', '1!400001');
    expect(await plant.read(points)).to.deep.equal(['fault 3000', 'fault 3000', 0]);
    plant.device.asked();
    expect(await plant.read(points)).to.deep.equal(['fault 3000', 'fault 3000', 0]);
    expect(plant.device.asked()).to.deep.equal(['1/3 0+1']);
    plant.device.script = (_request, usual) => usual();
    plant.record.later += 11_000;
    await plant.read(points);
    expect(await plant.read(points)).to.deep.equal([0, 99, 0]);
  });

  it('repeats a request that the device was too busy for', async () => {
    await using plant = await plantOf();
    let busy = 1;
    plant.device.script = (request, usual) => (busy-- > 0 ? exception(request, 6) : usual());
    expect(await plant.read(range(0, 10))).to.deep.equal(numbersOf(0, 10));
    busy = 1000;
    const readings = await plant.read(range(0, 10));
    expect(new Set(readings)).to.deep.equal(new Set(['fault 3000']));
    busy = 0;
    plant.device.asked();
    expect(await plant.read(range(0, 10))).to.deep.equal(numbersOf(0, 10));
    expect(plant.device.asked()).to.deep.equal(['1/3 0+10']);
  });

  it('takes exceptions 10 and 11 of a gateway as silence of that unit alone', async () => {
    await using plant = await plantOf();
    plant.device.script = (request, usual) => (request.unit === 1 ? exception(request, 11) : usual());
    const points = pointsOf('1!400001', '1!400100', '2!400003');
    expect(await plant.read(points)).to.deep.equal(['fault 3015', 'fault 3015', 2]);
    expect(plant.device.asked()).to.deep.equal(['1/3 0+1', '2/3 2+1']);
    expect(plant.device.connections).to.equal(1);
  });
});
