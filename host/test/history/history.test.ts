import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataType, ErrorCode } from '@tagway/schemas';
import type { HistoryReading, Sample } from '@tagway/sdk';
import { expect } from 'chai';
import type { Group } from '../../src/core/model.ts';
import type { BoundedRange } from '../../src/core/ports/history.ts';
import { GroupHistory } from '../../src/history/group-history.ts';
import { HistoryFolder } from '../../src/history/history.ts';
import { Ring } from '../../src/history/ring.ts';
import { groupOf, sampler, silent, tagOf } from './samples.ts';

const second = 1000;
const hour = 3600 * second;
const begin = 1_700_000_000_000;
const all: BoundedRange = { from: 0, to: 1e14, limit: 1e6 };

const timesOf = ({ points }: HistoryReading): number[] => points.map(({ time }) => time - begin);
const valuesOf = ({ points }: HistoryReading): unknown[] =>
  points.map(({ value, error }) => (error === 0 ? value : `error ${error}`));

describe('the history of a group', () => {
  let folder: string;
  let now = begin;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-history-'));
    now = begin;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (group: Group): GroupHistory =>
    new GroupHistory(group, new Ring(join(folder, '7'), () => now));
  const filesOf = async (): Promise<string[]> =>
    (await readdir(join(folder, '7'))).toSorted().map((name) => join(folder, '7', name));
  const bytesOf = async (): Promise<number> => {
    const sizes = await Promise.all((await filesOf()).map(async (file) => (await stat(file)).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  };

  /** Takes a sample each second from `from` on and stores every minute; the value of each tag is the second. */
  async function fill(
    history: GroupHistory,
    { from = 0, seconds = 60 }: { readonly from?: number; readonly seconds?: number },
    valueOf: (at: number, column: number) => number = (at) => at,
  ): Promise<void> {
    const { tags, sample } = sampler(history.group);
    for (let at = from; at < from + seconds; at++) {
      now = begin + at * second;
      history.take(
        sample(
          now,
          tags.map((_tag, column) => valueOf(at, column)),
        ),
        tags,
      );
      if (at % 60 === 59) await history.store();
    }
  }

  it('is what was taken, from the disk and from the memory', async () => {
    const group = groupOf(7, [tagOf(1), tagOf(2), tagOf(3, DataType.STRING)]);
    const history = open(group);
    await fill(history, { seconds: 150 }, (at, column) => at + column * 1000);
    const reading = await history.read(2, all);
    expect(timesOf(reading)).to.deep.equal(Array.from({ length: 150 }, (_, at) => at * second));
    expect(valuesOf(reading)).to.deep.equal(Array.from({ length: 150 }, (_, at) => at + 1000));
    expect(reading).to.include({ oldest: begin, before: undefined, next: undefined, problem: undefined });
    expect((await history.read(9, all)).points).to.deep.equal([]);
  });

  it('gives a range with what held before it, and the rest of it after a limit', async () => {
    const history = open(groupOf(7, [tagOf(1)]));
    await fill(history, { seconds: 130 });
    const range = { from: begin + 55_500, to: begin + 64_000, limit: 4 };
    const first = await history.read(1, range);
    expect(valuesOf(first)).to.deep.equal([56, 57, 58, 59]);
    expect(first.before).to.deep.equal({ time: begin + 55_000, value: 55, error: 0, quality: 0 });
    expect(first.next).to.equal(begin + 60_000);
    const rest = await history.read(1, { ...range, from: first.next ?? 0, limit: 100 });
    expect(valuesOf(rest)).to.deep.equal([60, 61, 62, 63, 64]);
    expect(rest.next).to.equal(undefined);
    expect((await history.read(1, { ...range, from: begin + 125_500 })).before?.value).to.equal(125);
  });

  it('gives the smallest, the largest and the mean value of buckets', async () => {
    const history = open(groupOf(7, [tagOf(1)]));
    await fill(history, { seconds: 90 });
    const { buckets } = await history.read(1, {
      from: begin + 30_000,
      to: begin + 150_000,
      step: 40_000,
      limit: 0,
    });
    expect(
      buckets.map(({ time, min, max, mean, count }) => [time - begin, min, max, mean, count]),
    ).to.deep.equal([
      [30_000, 30, 69, 49.5, 40],
      [70_000, 70, 89, 79.5, 20],
      [110_000, undefined, undefined, undefined, 0],
    ]);
  });

  it('has errors and qualities, and events between samples', async () => {
    const group = groupOf(7, [tagOf(1), tagOf(2)]);
    const history = open(group);
    const { tags, sample } = sampler(group);
    const event = (timestamp: number, rows: readonly number[], numbers: readonly number[]): Sample =>
      sample(timestamp, numbers, { rows: Uint32Array.from(rows) });
    history.take(sample(begin, [1, 10]), tags);
    history.take(event(begin + 100, [1, 1], [11, 12]), tags);
    history.take(sample(begin + 1000, [2, 12], { faults: Int32Array.from([0, 3002]) }), tags);
    history.take(sample(begin + 2000, [3, 13], { qualities: Uint32Array.from([0, 1]) }), tags);
    const check = async (of: GroupHistory): Promise<void> => {
      expect(valuesOf(await of.read(1, all))).to.deep.equal([1, 'error 3002', 3]);
      const events = await of.read(2, all);
      expect(timesOf(events)).to.deep.equal([0, 100, 100, 1000, 2000]);
      expect(valuesOf(events)).to.deep.equal([10, 11, 12, 12, 13]);
      expect(events.points.map(({ quality }) => quality)).to.deep.equal([0, 0, 0, 0, 1]);
      const [bucket] = (await of.read(1, { from: begin, to: begin + 3000, step: 5000, limit: 0 })).buckets;
      expect(bucket).to.include({ count: 2, error: 3002, mean: 2 });
    };
    await check(history);
    await history.store();
    await check(open(group));
  });

  it('keeps integers of 64 bits exact', async () => {
    const group = groupOf(7, [tagOf(1, DataType.UINT64), tagOf(2, DataType.INT64)]);
    const history = open(group);
    const { tags, sample } = sampler(group);
    history.take(sample(begin, [], { integers: BigInt64Array.from([-1n, -(2n ** 63n)]) }), tags);
    history.take(sample(begin + 1, [], { integers: BigInt64Array.from([5n, 7n]) }), tags);
    await history.store();
    const again = open(group);
    expect(valuesOf(await again.read(1, all))).to.deep.equal([2n ** 64n - 1n, 5n]);
    expect(valuesOf(await again.read(2, all))).to.deep.equal([-(2n ** 63n), 7n]);
  });

  it('goes on after a restart, and says that nothing is known of the time between', async () => {
    const group = groupOf(7, [tagOf(1)]);
    await fill(open(group), { seconds: 60 });
    const history = open(group);
    await fill(history, { from: 100, seconds: 20 });
    await history.store();
    expect(await filesOf()).to.have.lengthOf(1);
    const reading = await history.read(1, all);
    expect(reading.points).to.have.lengthOf(81);
    expect(reading.points[60]).to.include({ time: begin + 59_001, error: ErrorCode.HISTORY_GAP });
    expect((await history.read(1, { ...all, from: begin + 80_000 })).before?.error).to.equal(
      ErrorCode.HISTORY_GAP,
    );
  });

  it('boots with whatever a crash has left of the last block', async () => {
    const group = groupOf(7, [tagOf(1), tagOf(2)]);
    await fill(open(group), { seconds: 120 });
    const [file = ''] = await filesOf();
    const { size } = await stat(file);
    const whole = await readFile(file);
    const firstEnds = whole.readUInt32LE(4);
    // Every end of a part, and some in between.
    const lengths = [size - 1, firstEnds + 48, firstEnds + 47, firstEnds, firstEnds - 1, 48, 1, 0];
    for (let length = size - 2; length > 0; length -= 11) lengths.push(length);
    for (const length of lengths) {
      await writeFile(file, whole);
      await truncate(file, length);
      const history = open(group);
      const kept = (await history.read(1, all)).points.length;
      expect(kept, `${length} of ${size} bytes`).to.equal(length >= firstEnds ? 60 : 0);
      const { tags, sample } = sampler(group);
      history.take(sample(begin + 130_000, [1, 2]), tags);
      await history.store();
      const { points } = await open(group).read(1, all);
      expect(points.length).to.equal(kept + 1 + (kept > 0 ? 1 : 0));
    }
  });

  it('takes no damaged bytes for values', async () => {
    const group = groupOf(7, [tagOf(1), tagOf(2)]);
    await fill(open(group), { seconds: 180 }, (at, column) => at * 1.1 + column);
    const [file = ''] = await filesOf();
    const whole = await readFile(file);
    const right = new Map((await open(group).read(1, all)).points.map(({ time, value }) => [time, value]));
    for (let at = 0; at < whole.length; at += 13) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 0x55;
      await writeFile(file, damaged);
      for (const { time, value, error } of (await open(group).read(1, all)).points)
        if (error === 0) expect(value, `byte ${at}`).to.equal(right.get(time));
    }
    await writeFile(file, whole);
    await appendFile(file, 'no block');
    expect((await open(group).read(1, all)).points).to.have.lengthOf(180);
  }).timeout(20_000);

  it('never takes more bytes than it may, and says how far back it reaches', async () => {
    const group = groupOf(
      7,
      Array.from({ length: 20 }, (_, at) => tagOf(at + 1)),
      1,
    );
    const history = open(group);
    for (let minutes = 0; minutes < 150; minutes += 10) {
      await fill(history, { from: minutes * 60, seconds: 600 }, () => Math.random());
      expect(await bytesOf()).to.be.at.most(1_000_000);
    }
    expect(await bytesOf()).to.be.greaterThan(800_000);
    const { oldest = 0, points } = await history.read(1, all);
    expect(oldest).to.be.greaterThan(begin);
    expect(points[0]?.time).to.equal(oldest);
    group.history = 2;
    await fill(history, { from: 9000, seconds: 3600 }, () => Math.random());
    expect(await bytesOf()).to.be.within(1_000_001, 2_000_000);
  }).timeout(20_000);

  it('refuses a block that is larger than it may be as a whole, in words', async () => {
    const group = groupOf(
      7,
      Array.from({ length: 65_535 }, (_, at) => tagOf(at + 1)),
      1,
    );
    const history = open(group);
    const { tags, sample } = sampler(group);
    history.take(sample(begin, Float64Array.from(tags, Math.random)), tags);
    const error = await history.store().catch((cause: unknown) => cause);
    expect(error)
      .to.have.property('message')
      .that.matches(/^a block of it has \d+ bytes, .* more megabytes$/);
    expect((await history.read(1, all)).oldest).to.equal(undefined);
  });

  it('removes what is older than a day, an hour at a time', async () => {
    const history = open(groupOf(7, [tagOf(1)]));
    await fill(history, { seconds: 60 });
    await fill(history, { from: 3600, seconds: 60 });
    await fill(history, { from: 24 * 3600, seconds: 60 });
    expect((await history.read(1, all)).oldest).to.equal(begin);
    await fill(history, { from: 24 * 3600 + 60, seconds: 60 });
    expect((await history.read(1, all)).oldest).to.equal(begin + hour);
  });

  it('shows what was taken later, when the clock was set back', async () => {
    const group = groupOf(7, [tagOf(1)]);
    const history = open(group);
    await fill(history, { seconds: 180 });
    await fill(history, { from: 60, seconds: 60 }, (at) => at + 0.5);
    const expected = Array.from({ length: 180 }, (_, at) => (at >= 60 && at < 120 ? at + 0.5 : at));
    expect(valuesOf(await history.read(1, all))).to.deep.equal(expected);
    expect(valuesOf(await open(group).read(1, all))).to.deep.equal(expected);
    // And within a block, which ends then.
    const { tags, sample } = sampler(group);
    for (const [at, value] of [
      [200, 1],
      [205, 2],
      [202, 3],
    ] as const)
      history.take(sample(begin + at * second, [value]), tags);
    await history.store();
    const { points } = await history.read(1, { ...all, from: begin + 190_000 });
    expect(points.map(({ time, value }) => [time - begin, value])).to.deep.equal([
      [200_000, 1],
      [202_000, 3],
      [205_000, 2],
    ]);
  });

  it('has a range of memory, however long the disk takes', () => {
    const group = groupOf(7, [tagOf(1)], 1);
    const history = open(group);
    const { tags, sample } = sampler(group);
    for (let at = 0; at < 20_000; at++) history.take(sample(begin + at, [at]), tags);
    return history.read(1, all).then(({ points }) => {
      expect(points.length).to.be.within(4000, 5001);
      expect(points.at(-1)?.value).to.equal(19_999);
    });
  });
});

describe('the histories of a gateway', () => {
  let folder: string;
  const lines: string[] = [];
  const log = Object.assign(() => undefined, {
    ...silent,
    error: (line: string) => void lines.push(line),
    notice: (line: string) => void lines.push(line),
  }) as unknown as typeof silent;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-history-'));
    lines.length = 0;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const taken = (history: HistoryFolder, group: Group, count = 3): void => {
    const { tags, sample } = sampler(group);
    for (let at = 0; at < count; at++) history.take(group, sample(begin + at, [at]), tags);
  };

  it('are those of groups that ask for one, and go with them', async () => {
    const kept = groupOf(1, [tagOf(1)]);
    const none = groupOf(2, [tagOf(1)], 0);
    const ended = groupOf(3, [tagOf(1)]);
    const deleted = groupOf(4, [tagOf(1)]);
    const first = new HistoryFolder({ folder, log });
    for (const group of [kept, none, ended, deleted]) taken(first, group);
    await first.close();
    expect((await readdir(folder)).toSorted()).to.deep.equal(['1', '3', '4']);

    const history = new HistoryFolder({ folder, log });
    await history.open([kept, none, ended]);
    expect((await readdir(folder)).toSorted()).to.deep.equal(['1', '3']);
    ended.history = 0;
    history.changed(ended);
    // What comes after that is a history of its own.
    ended.history = 1;
    taken(history, ended, 1);
    expect((await history.read(ended, tagOf(1), all)).points).to.have.lengthOf(1);
    expect((await history.read(kept, tagOf(1), all)).points).to.have.lengthOf(3);
    history.removed(kept);
    await history.close();
    expect(await readdir(folder)).to.deep.equal(['3']);
  });

  it('say once that they cannot be stored, and once that they are again', async () => {
    const group = groupOf(1, [tagOf(1)], 1);
    const history = new HistoryFolder({ folder: join(folder, 'file', 'below'), log });
    await writeFile(join(folder, 'file'), '');
    for (let round = 0; round < 3; round++) {
      taken(history, group, 1000);
      await history.read(group, tagOf(1), { ...all, limit: 1 }).catch(() => undefined);
    }
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.match(/^The history of the group "fast" of "boiler" cannot be stored: .* folder/);
    await rm(join(folder, 'file'));
    taken(history, group, 1000);
    const { problem } = await history.read(group, tagOf(1), { ...all, limit: 1 });
    expect(problem).to.equal(undefined);
    expect(lines).to.have.lengthOf(2);
    expect(lines[1]).to.match(/is stored again; the time until now is missing\.$/);
    await history.close();
  });

  it('are read by a few at a time', async () => {
    const group = groupOf(1, [tagOf(1)]);
    const history = new HistoryFolder({ folder, log });
    taken(history, group);
    const readings = Array.from({ length: 20 }, () => history.read(group, tagOf(1), all));
    const results = await Promise.allSettled(readings);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).to.have.lengthOf(4);
    expect(refused[0]).to.have.nested.property('reason.code', ErrorCode.BUSY);
    await history.close();
  });
});
