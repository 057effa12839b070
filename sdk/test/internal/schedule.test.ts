import { expect } from 'chai';
import { Alarms, firstTick, mostSmall, Schedule } from '../../src/internal/runner/schedule.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('schedule', () => {
  it('ticks at its phase and then every interval, without drift', () => {
    const clock = new VirtualClock();
    const ticks: number[] = [];
    using _schedule = new Schedule(new Alarms(clock), 100.3, 10, () => {
      ticks.push(clock.monotonic());
      clock.stall(3);
    });
    clock.advance(10_050);
    expect(ticks).to.have.length(101);
    for (const [k, tick] of ticks.entries()) expect(tick - (10 + k * 100.3)).to.be.within(-0.5, 1);
  });

  it('skips the ticks of a time in which the process was held up, and says how many', () => {
    const clock = new VirtualClock();
    const skips: number[] = [];
    using _schedule = new Schedule(new Alarms(clock), 100, 0, (skipped) => {
      skips.push(skipped);
    });
    clock.advance(50);
    clock.stall(330);
    clock.advance(1);
    expect(skips).to.deep.equal([0, 2]);
    clock.advance(99);
    expect(skips).to.deep.equal([0, 2, 0]);
  });

  it('keeps an interval longer than any timer of Node', () => {
    const clock = new VirtualClock();
    let ticks = 0;
    using _schedule = new Schedule(new Alarms(clock), 0xffff_ffff, 0, () => {
      ticks++;
    });
    clock.advance(1);
    expect(ticks).to.equal(1);
    clock.advance(0xffff_fff0);
    expect(ticks).to.equal(1);
    clock.advance(0x20);
    expect(ticks).to.equal(2);
  });

  it('ends when disposed', () => {
    const clock = new VirtualClock();
    let ticks = 0;
    new Schedule(new Alarms(clock), 100, 0, () => {
      ticks++;
    })[Symbol.dispose]();
    clock.advance(1000);
    expect(ticks).to.equal(0);
  });

  it('wakes those that are due in the same millisecond in one turn', () => {
    const clock = new VirtualClock();
    const alarms = new Alarms(clock);
    const ticks: string[] = [];
    using _one = new Schedule(alarms, 100, 10, () => ticks.push('one'));
    using _other = new Schedule(alarms, 200, 10, () => ticks.push('other'));
    using _late = new Schedule(alarms, 100, 60, () => ticks.push('late'));
    expect(clock.armed).to.equal(1);
    clock.stall(40);
    clock.advance(0);
    expect(ticks).to.deep.equal(['one', 'other']);
    clock.advance(30);
    expect(ticks).to.deep.equal(['one', 'other', 'late']);
    clock.advance(40);
    expect(ticks).to.deep.equal(['one', 'other', 'late', 'one']);
  });

  it('leaves no timer behind', () => {
    const clock = new VirtualClock();
    const alarms = new Alarms(clock);
    const one = new Schedule(alarms, 100, 10, () => other[Symbol.dispose]());
    const other = new Schedule(alarms, 100, 20, () => expect.fail('It was disposed of.'));
    clock.advance(50);
    one[Symbol.dispose]();
    expect(clock.armed).to.equal(0);
  });

  describe('first tick', () => {
    const large = mostSmall + 1;

    it('comes at most a second from now, and within the interval', () => {
      for (const interval of [100, 130, 1000, 60_000])
        for (let group = 0; group < 100; group++) {
          const first = firstTick({ group, seat: 0, before: 0, points: large }, interval, 777.7);
          expect(first - 777.7).to.be.within(0, Math.min(interval, 1000));
        }
    });

    it('is spread over a second for large groups, and for the small ones of a node', () => {
      const large100 = (group: number): number =>
        firstTick({ group, seat: 0, before: 0, points: large }, 60_000, 0);
      const small100 = (before: number): number =>
        firstTick({ group: 7, seat: 0, before, points: mostSmall }, 60_000, 0);
      for (const phaseOf of [large100, small100]) {
        const phases = Array.from({ length: 100 }, (_none, index) => phaseOf(index) % 1000);
        for (let tenth = 0; tenth < 10; tenth++) {
          const inTenth = phases.filter((phase) => Math.floor(phase / 100) === tenth);
          expect(inTenth.length, `phases in tenth ${tenth}`).to.be.within(8, 12);
        }
      }
    });

    it('is the same for small groups of a few nodes, whenever they begin, and another for those of other nodes', () => {
      const at = (seat: number, now: number): number =>
        firstTick({ group: seat, seat, before: 1, points: 30 }, 5000, now) % 1000;
      expect(at(15, 12_345.6)).to.equal(at(0, 0.5));
      expect(at(16, 12_345.6)).not.to.equal(at(0, 0.5));
    });
  });
});
