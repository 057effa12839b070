import { expect } from 'chai';
import { countOf, lostChanges, lostSamples, missedCycles, uncovered, type Window } from '../soak/ledger.ts';
import { isBeyond, slopeOf } from '../soak/slope.ts';

/** A life of so many minutes, read every six seconds. */
const life = (minutes: number, valueAt: (age: number) => number) =>
  Array.from({ length: minutes * 10 }, (_, index) => ({ age: index / 600, value: valueAt(index / 600) }));

const options = { warmUp: 0.05, bucket: 1 / 120 };
const window = (from: number, to: number): Window => ({ what: 'gateway', from, to });
const every = (interval: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => index * interval);

describe('the slopes of a soak', () => {
  it('are those of growth with the age of a process, whatever level each life begins at', () => {
    const lives = [life(30, (age) => 100 + 6 * age), life(30, (age) => 60 + 6 * age)];
    const slope = slopeOf(lives, options);
    expect(slope.perHour).to.be.closeTo(6, 1e-9);
    expect(slope.span).to.be.closeTo(0.44, 0.02);
  });

  it('take no heed of the warm-up, nor of garbage that waits to be collected', () => {
    const warm = life(30, (age) => (age < 0.05 ? age * 1000 : 50));
    const sawtooth = life(30, (age) => 80 + ((Math.round(age * 600) * 7) % 5));
    expect(slopeOf([warm, sawtooth], options).perHour).to.be.closeTo(0, 0.5);
  });

  it('say nothing of lives that were too short', () => {
    expect(slopeOf([life(4, (age) => age * 1000)], options)).to.include({ perHour: 0, span: 0 });
    expect(slopeOf([], options)).to.include({ perHour: 0, span: 0 });
  });

  it('are beyond a bound when both the slope and what has grown are', () => {
    const bound = { perHour: 10, least: 5 };
    const slope = { first: 0, last: 0 };
    expect(isBeyond({ ...slope, perHour: 12, span: 1 }, bound)).to.equal(true);
    expect(isBeyond({ ...slope, perHour: 12, span: 0.2 }, bound)).to.equal(false);
    expect(isBeyond({ ...slope, perHour: 8, span: 10 }, bound)).to.equal(false);
  });
});

describe('the ledger of a soak', () => {
  it('cuts windows out of a time, also those within others', () => {
    const windows = [window(60, 70), window(10, 50), window(20, 30)];
    expect(uncovered(0, 100, windows)).to.deep.equal([
      [0, 10],
      [50, 60],
      [70, 100],
    ]);
    expect(uncovered(20, 40, windows)).to.deep.equal([]);
    expect(uncovered(65, 80, [window(60, Infinity)])).to.deep.equal([]);
  });

  it('counts cycles that were missed, and no others', () => {
    const times = every(500, 20);
    expect(missedCycles(times, 500, [], 9600)).to.deep.equal([]);
    const gap = times.filter((time) => time < 2000 || time > 3000);
    expect(missedCycles(gap, 500, [], 9600)).to.deep.equal([{ from: 1500, to: 3500, count: 3 }]);
    expect(missedCycles(gap, 500, [window(1900, 3100)], 9600)).to.deep.equal([]);
    // The window covers only a part of what is missing.
    expect(countOf(missedCycles(gap, 500, [window(1600, 2100)], 9600))).to.be.greaterThan(0);
  });

  it('counts cycles that are missing up to the end', () => {
    expect(countOf(missedCycles(every(500, 4), 500, [], 5000))).to.equal(6);
  });

  it('counts samples that one subscriber had and the other had not', () => {
    const had = [...every(500, 20), 4000];
    const got = every(500, 20).filter((time) => ![1000, 4000, 9000].includes(time));
    expect(lostSamples(had, got, [window(800, 1200)], 0, 8000)).to.deep.equal([
      { from: 4000, to: 4000, count: 1 },
    ]);
    expect(countOf(lostSamples(had, got, [], 0, 9500))).to.equal(3);
  });

  it('counts numbers that are missing, however they were sorted, and begins anew with the driver', () => {
    const changes = [1, 2, 3, 6, 5, 7].map((number) => ({ time: number * 10, number }));
    expect(countOf(lostChanges(changes, [], 0, 1000))).to.equal(1);
    expect(lostChanges(changes, [window(35, 45)], 0, 1000)).to.deep.equal([]);
    const anew = [...changes, ...[1, 2, 4].map((number) => ({ time: 100 + number * 10, number }))];
    expect(countOf(lostChanges(anew, [], 0, 1000))).to.equal(2);
    const twice = [...changes, { time: 20, number: 2 }];
    expect(countOf(lostChanges(twice, [], 0, 1000))).to.equal(1);
  });
});
