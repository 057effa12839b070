import { expect } from 'chai';
import { DataType, ErrorCode, Quality } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { OwnQuality } from '../src/decode.ts';
import { pointsOf, Run } from './run.ts';
import { sequenceOf, Station, unitOf } from './station.ts';

/** 2024-02-29 23:59:58.765, as CP56Time2a; 0x80 on the hour: summer time, on the minute: invalid. */
const time = (minuteBit = 0, hourBit = 0): number[] => [
  ...[58_765 & 255, 58_765 >> 8, 59 | minuteBit, 23 | hourBit, 29 | (4 << 5), 2, 24],
];
const epoch = Date.UTC(2024, 1, 29, 23, 59, 58, 765);

describe('what the station reports', () => {
  it('is taken of every type, one by one and in sequence, with and without time', async () => {
    await using station = await Station.start();
    await using run = await Run.connected(station.port);
    const cases: readonly (readonly [
      plain: number,
      timed: number,
      element: number[],
      DataType,
      value: number,
    ])[] = [
      [1, 30, [1], DataType.BIT, 1],
      [3, 31, [1], DataType.UINT8, 1],
      [5, 32, [0x40, 0], DataType.INT8, -64],
      [7, 33, [1, 2, 3, 0x84, 0], DataType.UINT32, 0x84030201],
      [9, 34, [0x00, 0x80, 0], DataType.FLOAT, -1],
      [11, 35, [0xfe, 0xff, 0], DataType.INT16, -2],
      [13, 36, [0, 0, 0x80, 0xbe, 0], DataType.FLOAT, -0.25],
      [15, 37, [0xff, 0xff, 0xff, 0x7f, 0x1f], DataType.INT32, 0x7fffffff],
      [21, 0, [0xff, 0x7f], DataType.FLOAT, 32767 / 32768],
    ];
    let base = 100;
    for (const [plain, timed, element, type, value] of cases) {
      const points = pointsOf(...Array.from({ length: 8 }, (_, at) => [base + at, type] as const));
      const taken = run.watch(points);
      const { visit } = station;
      visit.send(
        unitOf(plain, 3, [
          [base, ...element],
          [base + 1, ...element],
        ]),
      );
      visit.send(sequenceOf(plain, 1, base + 2, [element, element]));
      if (timed !== 0) {
        visit.send(unitOf(timed, 3, [[base + 4, ...element, ...time()]]));
        visit.send(
          sequenceOf(timed, 5, base + 6, [
            [...element, ...time()],
            [...element, ...time(0x80)],
          ]),
        );
      }
      const wanted = timed === 0 ? [0, 1, 2, 3] : [0, 1, 2, 3, 4, 6, 7];
      await until(`type ${plain} has come`, () => wanted.every((at) => taken.latest[at] === value));
      if (timed !== 0) {
        expect(taken.times[4]).to.equal(epoch);
        expect([taken.qualities[4], taken.qualities[7]]).to.deep.equal([0, Quality.TIME_INVALID]);
        expect(taken.times[0]).to.deep.equal(NaN);
        expect(taken.latest[5], 'a gap between addresses').to.equal(ErrorCode.DISCONNECTED);
      }
      base += 100;
    }
  });

  it('has the qualities of the station, and its clock', async () => {
    await using station = await Station.start();
    await using run = await Run.connected(station.port, { utc_offset: 60 });
    const points = pointsOf(
      ...Array.from({ length: 12 }, (_, at) => [at + 1, at < 4 ? DataType.BIT : DataType.INT32] as const),
      [20, DataType.FLOAT],
      [21, DataType.FLOAT],
      [22, DataType.INT8],
      [23, DataType.INT16],
    );
    const taken = run.watch(points);
    const { visit } = station;
    visit.send(
      unitOf(1, 3, [
        [1, 0x41],
        [2, 0x21],
        [3, 0x11],
        [4, 0x81],
      ]),
    );
    visit.send(
      unitOf(15, 3, [
        [5, 1, 0, 0, 0, 0x80],
        [6, 2, 0, 0, 0, 0x40],
        [7, 3, 0, 0, 0, 0x3f],
        [8, 4, 0, 0, 0, 0],
      ]),
    );
    visit.send(
      unitOf(13, 3, [
        [20, 0, 0, 0xc0, 0x7f, 0],
        [21, 0, 0, 0x80, 0x3f, 1],
      ]),
    );
    visit.send(unitOf(32, 3, [[22, 0x85, 0x80, ...time(0, 0x80)]]));
    visit.send(unitOf(34, 3, [[23, 0, 0, 0, ...time()]]));
    await until(
      'all have come',
      () => taken.latest[15] !== undefined && taken.latest[15] !== ErrorCode.DISCONNECTED,
    );
    expect(taken.latest.slice(0, 4)).to.deep.equal([1, 1, 1, ErrorCode.VALUE_EXPIRED]);
    expect(taken.qualities.slice(0, 3)).to.deep.equal([Quality.STALE, Quality.SUBSTITUTED, Quality.BLOCKED]);
    expect(taken.latest.slice(4, 8)).to.deep.equal([ErrorCode.VALUE_EXPIRED, 2, 3, 4]);
    expect(taken.qualities.slice(5, 8)).to.deep.equal([OwnQuality.ADJUSTED, OwnQuality.CARRY, 0]);
    expect(taken.latest.slice(12, 15)).to.deep.equal([ErrorCode.VALUE_EXPIRED, 1, ErrorCode.VALUE_EXPIRED]);
    expect(taken.qualities[13]).to.equal(Quality.OVERFLOW);
    expect(taken.times[14], 'summer time, an hour east').to.equal(epoch - 7_200_000);
    expect(taken.latest[15], 'normalized is no INT16').to.equal(ErrorCode.TYPE_MISMATCH);
    expect(taken.times[15]).to.equal(epoch - 3_600_000);
  });

  it('fits the type of the tag, or is a fault', async () => {
    await using station = await Station.start();
    await using run = await Run.connected(station.port);
    const { BIT, BOOL, UINT8, UINT16, UINT32, INT32, FLOAT, INT8 } = DataType;
    const points = pointsOf(
      ...([
        [1, BIT],
        [1, BOOL],
        [1, UINT8],
        [2, BIT],
        [2, UINT8],
        [3, UINT16],
        [4, UINT32],
        [5, INT32],
        [5, UINT32],
      ] as const),
      ...([
        [1, FLOAT],
        [3, INT8],
        [6, BOOL],
      ] as const),
    );
    const taken = run.watch(points);
    const { visit } = station;
    visit.send(
      unitOf(3, 3, [
        [1, 2],
        [2, 3],
        [6, 1],
      ]),
    );
    visit.send(unitOf(11, 3, [[3, 0xff, 0xff, 0]]));
    visit.send(unitOf(15, 3, [[4, 0xff, 0xff, 0xff, 0xff, 0]]));
    visit.send(unitOf(7, 3, [[5, 0xff, 0xff, 0xff, 0xff, 0]]));
    await until('all have come', () => taken.latest[8] === 0xffff_ffff);
    const { VALUE_OUT_OF_RANGE, TYPE_MISMATCH } = ErrorCode;
    expect(taken.latest).to.deep.equal([
      ...[1, 1, 2, VALUE_OUT_OF_RANGE, 3, VALUE_OUT_OF_RANGE, VALUE_OUT_OF_RANGE, -1, 0xffff_ffff],
      ...[TYPE_MISMATCH, TYPE_MISMATCH, 0],
    ]);
  });

  it('comes of its own common address alone, and not when it is a test', async () => {
    await using station = await Station.start();
    station.add(1, 100, 1);
    await using run = await Run.connected(station.port);
    const taken = run.watch(pointsOf([100, DataType.BIT], [101, DataType.BIT]));
    await until('it is interrogated', () => taken.latest[0] === 1);
    station.visit.send(unitOf(1, 3, [[100, 0]], 2));
    station.visit.send(unitOf(1, 3 | 0x80, [[100, 0]]));
    station.visit.send(unitOf(1, 3, [[101, 1]]));
    await until('what follows has come', () => taken.latest[1] === 1);
    expect(taken.of(0)).to.deep.equal([1]);
  });

  it('leaves every change of a chunk in order; spontaneous ones count although they are equal', async () => {
    await using station = await Station.start();
    station.add(1, 1, 0);
    await using run = await Run.connected(station.port);
    const taken = run.watch(pointsOf([1, DataType.BIT]));
    await until('it is interrogated', () => taken.latest[0] === 0);
    for (const value of [1, 0, 1, 1, 0]) station.visit.send(unitOf(1, 3, [[1, value]]));
    station.visit.send(unitOf(1, 1, [[1, 1]]));
    await until('all have come', () => taken.history.length === 7);
    expect(taken.history.map(([, value, every]) => [value, every])).to.deep.equal([
      ...[
        [0, false],
        [1, true],
        [0, true],
        [1, true],
        [1, true],
        [0, true],
        [1, false],
      ],
    ]);
  });

  it('is not acknowledged while there is no room for it', async () => {
    await using station = await Station.start();
    await using run = await Run.connected(station.port, { t1: 15, t2: 1, w: 2, k: 12 });
    const taken = run.watch(pointsOf([1, DataType.INT16]));
    await until('the interrogation is over', () => taken.latest[0] === ErrorCode.DISCONNECTED);
    const { visit } = station;
    await until('all is acknowledged', () => visit.outstanding === 0);
    const room = Promise.withResolvers<void>();
    taken.hasRoom = false;
    taken.drained = room.promise;
    for (let value = 1; value <= 40; value++) visit.send(unitOf(11, 3, [[1, value, 0, 0]]));
    await until('the station may send no more', () => taken.latest[0] === 12 && visit.outstanding === 12);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(visit.outstanding, 'after t2').to.equal(12);
    taken.hasRoom = true;
    room.resolve();
    await until('the rest has come', () => taken.latest[0] === 40);
    expect(taken.of(0).slice(1)).to.deep.equal(Array.from({ length: 40 }, (_, at) => at + 1));
  });

  it('is a fault once the link is gone, and is asked for anew when it is back', async () => {
    await using station = await Station.start();
    station.add(11, 1, 5, 0, 0);
    await using run = await Run.connected(station.port);
    const points = pointsOf([1, DataType.INT16], [2, DataType.INT16]);
    const taken = run.watch(points);
    await until(
      'it is interrogated',
      () => taken.latest[0] === 5 && taken.latest[1] === ErrorCode.DISCONNECTED,
    );
    await station.vanish();
    await until('the loss is told', () => !run.isUp);
    expect(await run.read(points)).to.equal(ErrorCode.DISCONNECTED);
    station.add(11, 1, 6, 0, 0);
    await station.listen();
    await until('the link is back', () => taken.latest[0] === 6);
  });

  it('is reported to a watch that begins later, and can be listed', async () => {
    await using station = await Station.start();
    for (let ioa = 1; ioa <= 1500; ioa++) station.add(11, ioa, ioa & 255, 0, 0);
    await using run = await Run.connected(station.port);
    const first = run.watch(pointsOf([1500, DataType.INT16]));
    await until('it is interrogated', () => first.latest[0] === (1500 & 255));
    expect(run.watch(pointsOf([7, DataType.INT16], [70_000, DataType.INT16])).latest).to.deep.equal([
      7,
      ErrorCode.DISCONNECTED,
    ]);
    const page = await run.driver.browse({ id: '' });
    expect([page.total, page.entries.length, page.cursor]).to.deep.equal([1500, 1000, '1000']);
    expect(page.entries[0]).to.include({ id: '1', type: DataType.INT16, readable: true });
    const rest = await run.driver.browse({ id: '', cursor: '1000' });
    expect([rest.entries.length, rest.cursor]).to.deep.equal([500, undefined]);
  });

  it('is read on demand by an interrogation that is awaited', async () => {
    await using station = await Station.start();
    station.add(11, 1, 5, 0, 0);
    station.counters.set(9, { ioa: 9, type: 15, element: Buffer.from([7, 0, 0, 0, 0]) });
    await using run = await Run.connected(station.port, { counter_interval: 3600, clock_interval: 3600 });
    const points = pointsOf([1, DataType.INT16], [9, DataType.UINT32]);
    await until('values are there', async () => String(await run.read(points)) === '5,7');
    station.add(11, 1, 6, 0, 0);
    expect(await run.read(points)).to.deep.equal([5, 7]);
    expect(await run.read(points, 'demand')).to.deep.equal([6, 7]);
    const types = station.visit.units.map(({ type, cause, body }) => [type, cause, body.length]);
    expect(types.slice(0, 3)).to.deep.equal([
      [103, 6, 10],
      [100, 6, 4],
      [101, 6, 4],
    ]);
    expect(station.visit.units[1]?.body).to.deep.equal(Buffer.from([0, 0, 0, 20]));
    expect(station.visit.units[2]?.body).to.deep.equal(Buffer.from([0, 0, 0, 5]));
  });

  it('is interrogated again every interval, and after the station has started anew', async () => {
    await using station = await Station.start();
    await using run = await Run.connected(station.port, { interval: 1 });
    const count = (): number => station.visit.units.filter(({ type }) => type === 100).length;
    await until('it was interrogated twice', () => count() >= 2);
    const before = count();
    station.visit.send([70, 1, 4, 0, 1, 0, 0, 0, 0, 2]);
    await until('it was interrogated once more', () => count() > before);
    expect(run.isUp).to.equal(true);
  });
});
