import { expect } from 'chai';
import { phaseOf, Schedule } from '../../src/internal/schedule.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('schedule', () => {
  it('ticks at its phase and then every interval, without drift', () => {
    const clock = new VirtualClock();
    const ticks: number[] = [];
    using _schedule = new Schedule(clock, 100.3, 10, () => {
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
    using _schedule = new Schedule(clock, 100, 0, (skipped) => {
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
    using _schedule = new Schedule(clock, 0xffff_ffff, 0, () => {
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
    new Schedule(clock, 100, 0, () => {
      ticks++;
    })[Symbol.dispose]();
    clock.advance(1000);
    expect(ticks).to.equal(0);
  });

  it('spreads groups over at most a second of their interval', () => {
    const phases = Array.from({ length: 100 }, (_none, group) => phaseOf(group, 60_000));
    expect(Math.min(...phases)).to.be.at.least(0);
    expect(Math.max(...phases)).to.be.below(1000);
    for (let tenth = 0; tenth < 10; tenth++) {
      const inTenth = phases.filter((phase) => Math.floor(phase / 100) === tenth);
      expect(inTenth.length, `phases in tenth ${tenth}`).to.be.within(8, 12);
    }
  });
});
