import { expect } from 'chai';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import {
  fanOut,
  packRanges,
  RangePlan,
  RefusalMemory,
  SilenceClock,
  splitPlace,
  type PackedRange,
  type Range,
} from '@tagway/sdk/link';

const at = (start: number, size = 1, area = 0): Range => ({ area, start, end: start + size });
const shown = (ranges: readonly Range[]): string[] =>
  ranges.map(({ area, start, end }) => `${area}:${start}-${end}`);
const refusal = new Fault(ErrorCode.READ_FAILED, 'No such place.');

describe('packRanges', () => {
  it('merges across a cheap gap and splits at the limit, the area and a cut', () => {
    const items = [at(30), at(0, 2), at(3), at(9), at(31, 5), at(0, 1, 1)];
    const packed = packRanges(items, { gap: 1, most: 4, cut: ({ start }) => start === 31 });
    expect(shown(packed)).to.deep.equal(['0:0-4', '0:9-10', '0:30-31', '0:31-36', '1:0-1']);
    expect(packed.flatMap(({ items: members }) => members)).to.have.members(items);
  });

  it('takes gap and limit by area, and overlapping items', () => {
    const packed = packRanges([at(0, 8), at(2), at(9), at(0, 1, 7), at(5, 1, 7)], {
      gap: (area) => area,
      most: (area) => (area === 0 ? 100 : 5),
    });
    expect(shown(packed)).to.deep.equal(['0:0-8', '0:9-10', '7:0-1', '7:5-6']);
  });
});

describe('splitPlace', () => {
  it('prefers a gap, then a boundary that nothing straddles, near the middle', () => {
    expect(splitPlace([at(0), at(1), at(2), at(3)])).to.equal(2);
    expect(splitPlace([at(0), at(5), at(6), at(7)])).to.equal(1);
    expect(splitPlace([at(0, 4), at(1), at(4)])).to.equal(2);
    expect(splitPlace([at(3), at(3)])).to.equal(undefined);
  });
});

/** A device that refuses every request that reads a bad place. */
class Device {
  readonly bad = new Set<number>();
  asked: string[] = [];
  values: number[] = [];
  faults: number[] = [];

  read(range: PackedRange<Range>): Promise<Fault | undefined> {
    this.asked.push(...shown([range]));
    for (let place = range.start; place < range.end; place++)
      if (this.bad.has(place)) return Promise.resolve(refusal);
    this.values.push(...range.items.map(({ start }) => start));
    return Promise.resolve(undefined);
  }

  refused(item: Range, fault: Fault): void {
    expect(fault).to.equal(refusal);
    this.faults.push(item.start);
  }

  async once(plan: RangePlan<Range>, now: number, generation = 1): Promise<void> {
    [this.asked, this.values, this.faults] = [[], [], []];
    await plan.readAll(this, now, generation);
    this.faults.sort((left, right) => left - right);
    this.values.sort((left, right) => left - right);
  }
}

describe('a range plan', () => {
  const items = Array.from({ length: 20 }, (_, index) => at(index));
  const options = { gap: 5, most: 100 };
  const others = (...bad: number[]): number[] =>
    items.map(({ start }) => start).filter((start) => !bad.includes(start));

  it('costs one bad item alone, whatever its place, and remembers it', async () => {
    for (const bad of [0, 7, 19]) {
      const device = new Device();
      const plan = new RangePlan(items, options, new RefusalMemory<Fault>());
      device.bad.add(bad);
      await device.once(plan, 0);
      expect([device.values, device.faults]).to.deep.equal([others(bad), [bad]]);
      await device.once(plan, 1000);
      expect([device.values, device.faults]).to.deep.equal([others(bad), [bad]]);
      expect(device.asked.length).to.be.at.most(2);
    }
  });

  it('asks a bad item again on its own clock and on a new connection, and packs it in when it is good', async () => {
    const device = new Device();
    const plan = new RangePlan(items, options, new RefusalMemory<Fault>());
    device.bad.add(7);
    await device.once(plan, 0);
    await device.once(plan, 9000);
    expect(device.asked).to.not.include('0:7-8');
    await device.once(plan, 11_000);
    expect(device.asked).to.include('0:7-8');
    await device.once(plan, 11_500);
    expect(device.asked).to.not.include('0:7-8');
    device.bad.clear();
    await device.once(plan, 12_000, 2);
    expect(device.values).to.deep.equal(others());
    await device.once(plan, 13_000, 2);
    expect(device.asked).to.deep.equal(['0:0-20']);
  });

  it('learns where a device does not read across although both sides are good', async () => {
    const plan = new RangePlan([at(0), at(1), at(2), at(3)], options, new RefusalMemory<Fault>());
    const asked: string[] = [];
    const reader = {
      read: (range: PackedRange<Range>) => {
        asked.push(...shown([range]));
        return Promise.resolve(range.start < 2 && range.end > 2 ? refusal : undefined);
      },
      refused: () => expect.fail('Every item can be read.'),
    };
    await plan.readAll(reader, 0, 1);
    asked.length = 0;
    await plan.readAll(reader, 1, 1);
    expect(asked).to.deep.equal(['0:0-2', '0:2-4']);
  });

  it('gets through a device that refuses much with a bounded number of requests a reading', async () => {
    const many = Array.from({ length: 200 }, (_, index) => at(index));
    const device = new Device();
    for (let place = 0; place < 200; place += 10) device.bad.add(place);
    const plan = new RangePlan(many, options, new RefusalMemory<Fault>());
    let readings = 0;
    do {
      await device.once(plan, readings);
      expect(device.asked.length).to.be.at.most(60);
      expect(device.values.length + device.faults.length).to.equal(200);
      readings++;
    } while (device.faults.length > 20 && readings < 50);
    expect(device.faults).to.deep.equal([...device.bad]);
  });

  it('asks as before soon after the device has refused everything for two minutes', async () => {
    const memory = new RefusalMemory<Fault>();
    const device = new Device();
    const groups = [0, 500].map((from) => {
      const many = Array.from({ length: 500 }, (_, index) => at(from + index));
      return new RangePlan(many, { gap: 5, most: 100 }, memory);
    });
    let now = 0;
    const pass = async (): Promise<{ asked: string[]; faults: number[] }> => {
      now += 1000;
      const all = { asked: [] as string[], faults: [] as number[] };
      for (const group of groups) {
        await device.once(group, now);
        all.asked.push(...device.asked);
        all.faults.push(...device.faults);
      }
      return all;
    };
    device.bad.add(7);
    while ((await pass()).faults.length > 1) expect(now).to.be.below(60_000);
    const { asked } = await pass();
    for (let place = 0; place < 1000; place++) device.bad.add(place);
    for (let second = 0; second < 120; second++) expect((await pass()).faults).to.have.length(1000);
    device.bad.clear();
    device.bad.add(7);
    for (let second = 0; second < 12; second++) await pass();
    const after = await pass();
    expect(after.faults).to.deep.equal([7]);
    expect(after.asked.filter((range) => range !== '0:7-8')).to.deep.equal(asked);
  });

  it('does not ask a bad item more often because another group reads well', async () => {
    const memory = new RefusalMemory<Fault>();
    const device = new Device();
    device.bad.add(500);
    const bad = new RangePlan([at(500)], options, memory);
    const good = new RangePlan(items, options, memory);
    let count = 0;
    for (let now = 0; now < 600_000; now += 1000) {
      await device.once(bad, now);
      count += device.asked.length;
      await device.once(good, now);
      expect(device.values).to.deep.equal(others());
    }
    // After 10, 20, 40 … 300 s by its own clock, and as often at most for what a recovery may have shown.
    expect(count).to.be.at.most(16);
  });

  it('packs anew when a new connection has other limits', async () => {
    let most = 100;
    const device = new Device();
    const plan = new RangePlan(items, { gap: 5, most: () => most }, new RefusalMemory<Fault>());
    await device.once(plan, 0, 1);
    expect(device.asked).to.have.length(1);
    most = 5;
    await device.once(plan, 1, 2);
    expect(device.asked).to.have.length(4);
  });
});

describe('a refusal memory', () => {
  it('leaves out an area until it is due', () => {
    const memory = new RefusalMemory<Fault>();
    memory.begin(0, 1);
    memory.refuseArea(4, 0);
    expect([memory.isAreaRefused(4, 1), memory.isAreaRefused(5, 1)]).to.deep.equal([true, false]);
    expect(memory.isAreaRefused(4, 10_000)).to.equal(false);
    memory.accept(at(1, 1, 4));
    memory.refuseArea(4, 0);
    expect(memory.isAreaRefused(4, 10_000)).to.equal(false);
  });

  it('tries an area every ten seconds while the device refuses everything', () => {
    const memory = new RefusalMemory<Fault>();
    let tries = 0;
    for (let now = 0; now < 120_000; now += 1000) {
      memory.begin(now, 1);
      if (memory.isAreaRefused(4, now)) continue;
      memory.refuseArea(4, now);
      tries++;
    }
    expect(tries).to.be.within(11, 13);
    memory.begin(121_000, 1);
    memory.accept(at(1));
    expect(memory.isAreaRefused(4, 121_000)).to.equal(false);
  });
});

describe('fanOut', () => {
  it('keeps the order of keys and of things', () => {
    expect([...fanOut(['b1', 'a1', 'b2'], (text) => text[0])]).to.deep.equal([
      ['b', [0, 2]],
      ['a', [1]],
    ]);
  });
});

describe('a silence clock', () => {
  it('leaves a silent station alone for longer and longer, whoever asks', () => {
    const clock = new SilenceClock<string>({ first: 1000, most: 3000 });
    const pauses = [0, 1, 2].map((round) => clock.stayedSilent('a', round));
    expect(pauses).to.deep.equal([1000, 2000, 3000]);
    expect([clock.paused('a', 100), clock.paused('b', 100)]).to.deep.equal([true, false]);
    expect(clock.tries('a', 3002)).to.equal(true);
    expect(clock.tries('a', 3003), 'another group').to.equal(false);
    expect(clock.answered('a')).to.equal(true);
    expect(clock.tries('a', 3004)).to.equal(true);
  });

  it('forgives as many silent rounds as it is told, and a clock that was set back', () => {
    const clock = new SilenceClock<number>({ first: 1000, most: 1000, forgiven: 1 });
    expect([clock.stayedSilent(1, 50_000), clock.stayedSilent(1, 50_000)]).to.deep.equal([0, 1000]);
    expect(clock.paused(1, 10)).to.equal(false);
  });
});
