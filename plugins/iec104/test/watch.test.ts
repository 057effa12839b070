import { expect } from 'chai';
import { DataType, ErrorCode, isFault, Quality } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { OwnQuality } from '../src/decode.ts';
import { pointsOf, Fixture } from './fixture.ts';
import { sequenceOf, Station, unitOf } from './station.ts';

/** 2024-02-29 23:59:58.765, as CP56Time2a; 0x80 on the hour: summer time, on the minute: invalid. */
const time = (minuteBit = 0, hourBit = 0): number[] => [
  ...[58_765 & 255, 58_765 >> 8, 59 | minuteBit, 23 | hourBit, 29 | (4 << 5), 2, 24],
];
const epoch = Date.UTC(2024, 1, 29, 23, 59, 58, 765);

describe('what the station reports', () => {
  it('is taken of every type, one by one and in sequence, with and without time', async () => {
    await using station = await Station.start();
    await using fixture = await Fixture.connected(station.port);
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
      const report = fixture.watch(points);
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
      await until(`type ${plain} has come`, () => wanted.every((at) => report.latest[at] === value));
      if (timed !== 0) {
        expect(report.times[4]).to.equal(epoch);
        expect([report.qualities[4], report.qualities[7]]).to.deep.equal([0, Quality.TIME_INVALID]);
        expect(report.times[0]).to.deep.equal(NaN);
        await until('a gap between addresses has a fault', () => report.latest[5] !== undefined);
        expect(report.latest[5], 'a gap between addresses').to.equal(ErrorCode.DISCONNECTED);
      }
      base += 100;
    }
  });

  it('says why an object is not there: the common address, counters that nobody asks for, a type that does not fit', async () => {
    await using station = await Station.start();
    station.add(3, 1, 2).add(34, 2, 0, 0, 0, ...time());
    station.counters.set(3, { ioa: 3, type: 15, element: Buffer.from([1, 0, 0, 0, 0]) });
    const points = pointsOf([1, DataType.FLOAT], [2, DataType.BIT], [3, DataType.UINT32], [4, DataType.BIT]);
    const messages = async (params: object): Promise<string[]> => {
      await using fixture = await Fixture.connected(station.port, params);
      const report = fixture.watch(points);
      await until('it was interrogated', () => report.faults.every((fault) => fault !== undefined));
      const read = await fixture.report(points, 'test');
      expect(isFault(read)).to.equal(false);
      if (!isFault(read)) expect(read.faults, 'a test read says the same').to.deep.equal(report.faults);
      return report.faults.map((fault) => fault?.message ?? '');
    };
    const known = await messages({});
    expect(known[0]).to.match(/as M_DP_NA_1 \(3\).*UINT8.*this tag has the type FLOAT/);
    expect(known[1]).to.match(/as M_ME_TD_1 \(34\).*FLOAT.*this tag has the type BIT/);
    expect(known[2]).to.include('counter_interval');
    expect(known[3]).to.include('no object of this address').and.not.include('counter_interval');
    const [, , counter] = await messages({ counter_interval: 3600, ca: 5 });
    expect(counter).to.match(/does not know the common address 5 \(cause 46\).*setting ca/);
    expect(counter).not.to.include('counter_interval');
  });

  it('names the common addresses that the station reports under, when it answers none of its own', async () => {
    await using station = await Station.start();
    station.script = (frame, visit) => {
      if (frame.format !== 'I') return undefined;
      visit.vr++;
      visit.send([1, 1, 3, 0, 7, 0, 1, 0, 0, 1]);
      return true;
    };
    await using fixture = await Fixture.connected(station.port, { ca: 5, t1: 2, t2: 1 });
    const report = fixture.watch(pointsOf([1, DataType.BIT]));
    await until('the interrogation is over', () => report.faults[0] !== undefined);
    expect(report.faults[0]?.message).to.match(/common address 5 .*under the common address 7.*setting ca/);
  });

  it('has the qualities of the station, and its clock', async () => {
    await using station = await Station.start();
    await using fixture = await Fixture.connected(station.port, { utc_offset: 60 });
    const points = pointsOf(
      ...Array.from({ length: 12 }, (_, at) => [at + 1, at < 4 ? DataType.BIT : DataType.INT32] as const),
      [20, DataType.FLOAT],
      [21, DataType.FLOAT],
      [22, DataType.INT8],
      [23, DataType.INT16],
    );
    const report = fixture.watch(points);
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
      () => report.latest[15] !== undefined && report.latest[15] !== ErrorCode.DISCONNECTED,
    );
    expect(report.latest.slice(0, 4)).to.deep.equal([1, 1, 1, ErrorCode.VALUE_EXPIRED]);
    expect(report.qualities.slice(0, 3)).to.deep.equal([Quality.STALE, Quality.SUBSTITUTED, Quality.BLOCKED]);
    expect(report.latest.slice(4, 8)).to.deep.equal([ErrorCode.VALUE_EXPIRED, 2, 3, 4]);
    expect(report.qualities.slice(5, 8)).to.deep.equal([OwnQuality.ADJUSTED, OwnQuality.CARRY, 0]);
    expect(report.latest.slice(12, 15)).to.deep.equal([ErrorCode.VALUE_EXPIRED, 1, ErrorCode.VALUE_EXPIRED]);
    expect(report.qualities[13]).to.equal(Quality.OVERFLOW);
    expect(report.times[14], 'summer time, an hour east').to.equal(epoch - 7_200_000);
    expect(report.latest[15], 'normalized is no INT16').to.equal(ErrorCode.TYPE_MISMATCH);
    expect(report.times[15]).to.equal(epoch - 3_600_000);
  });

  it('fits the type of the tag, or is a fault', async () => {
    await using station = await Station.start();
    await using fixture = await Fixture.connected(station.port);
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
    const report = fixture.watch(points);
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
    await until('all have come', () => report.latest[8] === 0xffff_ffff);
    const { VALUE_OUT_OF_RANGE, TYPE_MISMATCH } = ErrorCode;
    expect(report.latest).to.deep.equal([
      ...[1, 1, 2, VALUE_OUT_OF_RANGE, 3, VALUE_OUT_OF_RANGE, VALUE_OUT_OF_RANGE, -1, 0xffff_ffff],
      ...[TYPE_MISMATCH, TYPE_MISMATCH, 0],
    ]);
  });

  it('comes of its own common address alone, and not when it is a test', async () => {
    await using station = await Station.start();
    station.add(1, 100, 1);
    await using fixture = await Fixture.connected(station.port);
    const report = fixture.watch(pointsOf([100, DataType.BIT], [101, DataType.BIT]));
    await until('it is interrogated', () => report.latest[0] === 1);
    station.visit.send(unitOf(1, 3, [[100, 0]], 2));
    station.visit.send(unitOf(1, 3 | 0x80, [[100, 0]]));
    station.visit.send(unitOf(1, 3, [[101, 1]]));
    await until('what follows has come', () => report.latest[1] === 1);
    expect(report.of(0)).to.deep.equal([1]);
  });

  it('leaves every change of a chunk in order; spontaneous ones count although they are equal', async () => {
    await using station = await Station.start();
    station.add(1, 1, 0);
    await using fixture = await Fixture.connected(station.port);
    const report = fixture.watch(pointsOf([1, DataType.BIT]));
    await until('it is interrogated', () => report.latest[0] === 0);
    for (const value of [1, 0, 1, 1, 0]) station.visit.send(unitOf(1, 3, [[1, value]]));
    station.visit.send(unitOf(1, 1, [[1, 1]]));
    await until('all have come', () => report.history.length === 7);
    expect(report.history.map(([, value, every]) => [value, every])).to.deep.equal([
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
    await using fixture = await Fixture.connected(station.port, { t1: 15, t2: 1, w: 2, k: 12 });
    const report = fixture.watch(pointsOf([1, DataType.INT16]));
    await until('the interrogation is over', () => report.latest[0] === ErrorCode.DISCONNECTED);
    const { visit } = station;
    await until('all is acknowledged', () => visit.outstanding === 0);
    const room = Promise.withResolvers<void>();
    report.hasRoom = false;
    report.drained = room.promise;
    for (let value = 1; value <= 40; value++) visit.send(unitOf(11, 3, [[1, value, 0, 0]]));
    await until('the station may send no more', () => report.latest[0] === 12 && visit.outstanding === 12);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(visit.outstanding, 'after t2').to.equal(12);
    report.hasRoom = true;
    room.resolve();
    await until('the rest has come', () => report.latest[0] === 40);
    expect(report.of(0).slice(1)).to.deep.equal(Array.from({ length: 40 }, (_, at) => at + 1));
  });

  it('is a fault once the link is gone, and is asked for anew when it is back', async () => {
    await using station = await Station.start();
    station.add(11, 1, 5, 0, 0);
    await using fixture = await Fixture.connected(station.port);
    const points = pointsOf([1, DataType.INT16], [2, DataType.INT16]);
    const report = fixture.watch(points);
    await until(
      'it is interrogated',
      () => report.latest[0] === 5 && report.latest[1] === ErrorCode.DISCONNECTED,
    );
    await station.vanish();
    await until('the loss is reported', () => !fixture.isUp);
    expect(await fixture.read(points)).to.equal(ErrorCode.DISCONNECTED);
    station.add(11, 1, 6, 0, 0);
    await station.listen();
    await until('the link is back', () => report.latest[0] === 6);
  });

  it('is reported to a watch that begins later, and can be listed', async () => {
    await using station = await Station.start();
    for (let ioa = 1; ioa <= 1500; ioa++) station.add(11, ioa, ioa & 255, 0, 0);
    await using fixture = await Fixture.connected(station.port);
    const first = fixture.watch(pointsOf([1500, DataType.INT16]));
    await until('it is interrogated', () => first.latest[0] === (1500 & 255));
    expect(fixture.watch(pointsOf([7, DataType.INT16], [70_000, DataType.INT16])).latest).to.deep.equal([
      7,
      ErrorCode.DISCONNECTED,
    ]);
    const page = await fixture.driver.browse({ id: '' });
    expect([page.total, page.entries.length, page.cursor]).to.deep.equal([1500, 1000, '1000']);
    expect(page.entries[0]).to.include({ id: '1', type: DataType.INT16, readable: true });
    const rest = await fixture.driver.browse({ id: '', cursor: '1000' });
    expect([rest.entries.length, rest.cursor]).to.deep.equal([500, undefined]);
  });

  it('is read on demand after an interrogation has ended', async () => {
    await using station = await Station.start();
    station.add(11, 1, 5, 0, 0);
    station.counters.set(9, { ioa: 9, type: 15, element: Buffer.from([7, 0, 0, 0, 0]) });
    await using fixture = await Fixture.connected(station.port, {
      counter_interval: 3600,
      clock_interval: 3600,
    });
    const points = pointsOf([1, DataType.INT16], [9, DataType.UINT32]);
    await until('values are there', async () => String(await fixture.read(points)) === '5,7');
    station.add(11, 1, 6, 0, 0);
    expect(await fixture.read(points)).to.deep.equal([5, 7]);
    expect(await fixture.read(points, 'demand')).to.deep.equal([6, 7]);
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
    await using fixture = await Fixture.connected(station.port, { interval: 1 });
    const count = (): number => station.visit.units.filter(({ type }) => type === 100).length;
    await until('it was interrogated twice', () => count() >= 2);
    const before = count();
    station.visit.send([70, 1, 4, 0, 1, 0, 0, 0, 0, 2]);
    await until('it was interrogated once more', () => count() > before);
    expect(fixture.isUp).to.equal(true);
  });
});
