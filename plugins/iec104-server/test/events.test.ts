import { DataType, ErrorCode, Quality } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import { Centre, type Reported, U } from './kit/centre.ts';
import { type Reading, Station, tagsOf } from './kit/station.ts';

const one = tagsOf(DataType.FLOAT);
const table = 'tag,type,object\nt0,36,100';

const events = (centre: Centre): Reported[] => centre.reported.filter(({ cause }) => cause === 3);
const floats = (centre: Centre): number[] => events(centre).map(({ element }) => element.readFloatLE(0));
const upTo = (count: number, from = 1): number[] => Array.from({ length: count }, (_, index) => from + index);

/** Delivers changes of the one tag, one event each; the first value of a run is none. */
async function change(station: Station, ...values: readonly number[]): Promise<void> {
  for (const value of values) await station.deliver({ t0: { value } });
}

describe('events', () => {
  it('are changes: the first value of a run and a value that is equal are none', async () => {
    await using station = await Station.start(one, table);
    await using centre = await Centre.start(station.port);
    await change(station, 1, 1, 2, 2, 1);
    await until('they are there', () => events(centre).length === 2);
    expect(floats(centre)).to.deep.equal([2, 1]);
    expect(centre.fault).to.equal('');
  });

  it('have the time of the source, or that of the sample, and say when it is not to be trusted', async () => {
    await using station = await Station.start(one, table, { utc_offset: 480 });
    await using centre = await Centre.start(station.port);
    const time = Date.UTC(2024, 1, 29, 15, 59, 58, 765);
    await station.deliver({ t0: { value: 1 } });
    await station.deliver({ t0: { value: 2, time } }, time + 1000);
    await station.deliver({ t0: { value: 3 } }, time + 1000);
    await station.deliver({ t0: { value: 4, time, quality: Quality.TIME_INVALID } });
    await until('they are there', () => events(centre).length === 3);
    const times = events(centre).map(({ element }) => element.subarray(5).toString('hex'));
    expect(times).to.deep.equal(['8de53b179d0218', '75e93b179d0218', '8de5bb179d0218']);
  });

  /** The quality octet that a reading has. */
  const descriptors: readonly (readonly [what: string, reading: Reading, octet: number])[] = [
    ['good', { value: 2 }, 0],
    ['stale', { value: 3, quality: Quality.STALE }, 0x40],
    ['substituted', { value: 4, quality: Quality.SUBSTITUTED }, 0x20],
    ['overridden', { value: 5, quality: Quality.OVERRIDDEN }, 0x20],
    ['blocked', { value: 6, quality: Quality.BLOCKED }, 0x10],
    ['overflow', { value: 7, quality: Quality.OVERFLOW }, 0x01],
    ['all of them', { value: 7, quality: 0x1e }, 0x71],
    ['a fault', { fault: ErrorCode.READ_FAILED }, 0x80],
    ['no connection', { fault: ErrorCode.DISCONNECTED }, 0xc0],
    ['good again', { value: 7 }, 0],
  ];

  it('show the quality, and a fault as the last value that is invalid', async () => {
    await using station = await Station.start(one, table);
    await using centre = await Centre.start(station.port);
    await change(station, 1);
    for (const [, reading] of descriptors) await station.deliver({ t0: reading });
    await until('they are there', () => events(centre).length === descriptors.length);
    const octets = events(centre).map(({ element }, index) => [descriptors[index]![0], element[4]]);
    expect(octets).to.deep.equal(descriptors.map(([what, , octet]) => [what, octet]));
    expect(floats(centre).slice(-3)).to.deep.equal([7, 7, 7]);
  });

  it('have a deadband, and counters have none unless their row has one', async () => {
    const tags = tagsOf(DataType.FLOAT, DataType.UINT32, DataType.UINT32);
    const rows = 'tag,type,object,deadband\nt0,13,1,5\nt1,37,2,\nt2,15,3,10';
    await using station = await Station.start(tags, rows);
    await using centre = await Centre.start(station.port);
    for (const value of [100, 104, 105, 101, 100])
      await station.deliver({ t0: { value }, t1: { value }, t2: { value: value * 2 } });
    await until('they are there', () => events(centre).length === 4);
    expect(
      events(centre).map(({ ioa, element }) => [
        ioa,
        ioa === 1 ? element.readFloatLE() : element.readInt32LE(),
      ]),
    ).to.deep.equal([
      [1, 105],
      [3, 210],
      [1, 100],
      [3, 200],
    ]);
  });

  it('wait for a control centre, also over a restart, and are sent in order', async () => {
    await using station = await Station.start(one, table);
    await change(station, ...upTo(1000, 0));
    await station.stop();
    await station.run();
    await change(station, 2000, 2001);
    await using centre = await Centre.start(station.port);
    await until('all are there', () => events(centre).length === 1000);
    expect(floats(centre)).to.deep.equal([...upTo(999), 2001]);
    await until('all are acknowledged', () => station.gauges.get('cached_msgs') === 0);
  });

  it('that are not acknowledged are sent again after a loss of the connection, the others are not', async () => {
    await using station = await Station.start(one, table, { k: 4 });
    {
      await using centre = await Centre.start(station.port, { acknowledgesAfter: 0 });
      await until('it has begun', () => centre.units.length === 1);
      await change(station, ...upTo(4, 0));
      await until('the window is full', () => events(centre).length === 3);
      centre.acknowledge(3);
      await until('it has arrived', () => station.app.clients().length === 1);
      await change(station, 4);
      await until('one more is there', () => events(centre).length === 4);
    }
    await change(station, 5);
    await using again = await Centre.start(station.port);
    await until('the rest is there', () => events(again).length === 3);
    expect(floats(again)).to.deep.equal([3, 4, 5]);
  });

  it('go to the connection of a redundancy group that was started last, from the first that is not acknowledged', async () => {
    await using station = await Station.start(one, table, { k: 4 });
    await using first = await Centre.start(station.port, { acknowledgesAfter: 0 });
    await change(station, ...upTo(3, 0));
    await until('two are there', () => events(first).length === 2);
    await using second = await Centre.start(station.port);
    await until('they are sent again', () => events(second).length === 2);
    await change(station, 3);
    await until('the new one goes to the second', () => events(second).length === 3);
    expect(floats(second)).to.deep.equal([1, 2, 3]);
    expect(first.isClosed, 'the first stays connected').to.equal(false);
    expect(floats(first)).to.deep.equal([1, 2]);
    first.control(U.STARTDT);
    await change(station, 4);
    await until('it is active again', () => events(first).length === 3);
    expect(floats(first)).to.deep.equal([1, 2, 4]);
  });

  it('go to each redundancy group', async () => {
    const centres = 'north = 127.0.0.2; south = 127.0.0.3';
    await using station = await Station.start(one, table, { centres });
    await using north = await Centre.start(station.port, { localAddress: '127.0.0.2' });
    await change(station, ...upTo(3, 0));
    await until('north has them', () => events(north).length === 2);
    await using south = await Centre.start(station.port, { localAddress: '127.0.0.3' });
    await until('south has them', () => events(south).length === 2);
    expect(floats(south)).to.deep.equal([1, 2]);
    expect(south.units[0]?.type, 'each has the end of initialisation').to.equal(70);
  });

  it('that find no room are dropped, the oldest first, and an object says so until the rest is there', async () => {
    const settings = { event_disk: 1, overflow_object: 9 };
    await using station = await Station.start(one, table, settings);
    for (let value = 0; value < 60_000; value++) await change(station, value);
    await using centre = await Centre.start(station.port);
    await until(
      'the last is there',
      () => floats(centre).at(-1) !== undefined && station.gauges.get('cached_msgs') === 0,
      30_000,
    );
    const marks = events(centre)
      .filter(({ ioa }) => ioa === 9)
      .map(({ element }) => element[0]);
    await until(
      'the mark is taken back',
      () => events(centre).at(-1)?.ioa === 9 && events(centre).at(-1)?.element[0] === 0,
    );
    const got = events(centre)
      .filter(({ ioa }) => ioa === 100)
      .map(({ element }) => element.readFloatLE(0));
    expect(marks[0]).to.equal(1);
    expect(got.length).to.be.within(5000, 59_000);
    expect(got.at(-1)).to.equal(59_999);
    expect(got, 'in order').to.deep.equal([...got].sort((a, b) => a - b));
    expect(station.record.logs.join('\n')).to.match(
      /dropped \d+ messages with events for the redundancy group "all"/,
    );
    expect(station.record.counts.get('dropped_msgs_total')).to.be.greaterThan(0);
  }).timeout(60_000);

  it('go on when the table changes, and no connection is dropped for it', async () => {
    await using station = await Station.start(one, table);
    await using centre = await Centre.start(station.port);
    await change(station, 1, 2);
    station.change(one, `${table}\nt0,13,200`);
    await change(station, 3);
    await until('they are there', () => events(centre).length === 3);
    expect(events(centre).map(({ ioa, element }) => [ioa, element.readFloatLE()])).to.deep.equal([
      [100, 2],
      [100, 3],
      [200, 3],
    ]);
    station.change(one, 'tag,type,object\nt0,36,100\nnone,1,5');
    expect(station.record.logs.at(-1)).to.equal(
      'The object 5 of the group "group" of "plant" is left out: the group has no tag "none".',
    );
    await change(station, 4);
    await until('it goes on', () => floats(centre).at(-1) === 4);
    expect(centre.isClosed).to.equal(false);
  });
});
