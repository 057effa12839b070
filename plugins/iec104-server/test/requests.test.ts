import { DataType, ErrorCode } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import { Centre, reportedIn, type Unit } from './kit/centre.ts';
import { Station, tagsOf } from './kit/station.ts';

/** Types and causes of units, with their negative bit, in order. */
const shape = (units: readonly Unit[]): string[] =>
  units.map(({ type, cause, isNegative, ca }) => `${type}/${cause}${isNegative ? '-' : ''}@${ca}`);

/** Sends a request and waits for all of its answer. */
async function answers(
  centre: Centre,
  request: readonly [type: number, cause: number, ioa: number, element: readonly number[], ca?: number],
  isLast: (unit: Unit) => boolean,
): Promise<Unit[]> {
  const from = centre.units.length;
  centre.send(...request);
  await centre.next('the end of the answer', isLast, from);
  return centre.units.slice(from);
}

const ends = ({ cause }: Unit): boolean => cause === 10;
const time = [0, 0, 0, 0, 1, 1, 24];

describe('interrogation', () => {
  const tags = tagsOf(
    DataType.BIT,
    DataType.BOOL,
    DataType.INT16,
    DataType.UINT32,
    DataType.FLOAT,
    DataType.INT16,
    DataType.DOUBLE,
    DataType.UINT32,
    DataType.BIT,
  );
  const table = [
    'tag,type,object,ca,groups',
    't0,30,1,,1 16',
    't1,31,2,,1',
    't2,32,3,,',
    't3,33,4,,',
    't4,34,5,,',
    't5,35,6,,2',
    't6,36,7,,',
    't7,37,8,,',
    't8,1,1,77,16',
  ].join('\n');
  const values = [1, 0, -64, 0x8000_0001, -0.5, -300, 20.25, 5, 1];

  async function stationWithValues(): Promise<Station> {
    const station = await Station.start(tags, table);
    await station.deliver(Object.fromEntries(values.map((value, index) => [`t${index}`, { value }])));
    return station;
  }

  it('of the station reports every object without time, but for counters', async () => {
    await using station = await stationWithValues();
    await using centre = await Centre.start(station.port);
    const units = await answers(centre, [100, 6, 0, [20]], ends);
    expect(shape(units.filter(({ type }) => type !== 70))).to.deep.equal([
      '100/7@1',
      ...[1, 3, 5, 7, 9, 11, 13].map((type) => `${type}/20@1`),
      '100/10@1',
    ]);
    const objects = units.filter(({ type }) => type < 40).flatMap(reportedIn);
    expect(objects.map(({ ioa, element }) => `${ioa} ${element.toString('hex')}`)).to.deep.equal([
      '1 01',
      '2 01',
      '3 4000',
      '4 0100008000',
      '5 00c000',
      '6 d4fe00',
      '7 0000a24100',
    ]);
  });

  it('of a group reports the objects of that group with its cause', async () => {
    await using station = await stationWithValues();
    await using centre = await Centre.start(station.port);
    const first = await answers(centre, [100, 6, 0, [21]], ends);
    expect(shape(first.filter(({ type }) => type !== 70))).to.deep.equal([
      '100/7@1',
      '1/21@1',
      '3/21@1',
      '100/10@1',
    ]);
    expect(shape(await answers(centre, [100, 6, 0, [36]], ends))).to.deep.equal([
      '100/7@1',
      '1/36@1',
      '100/10@1',
    ]);
    expect(shape(await answers(centre, [100, 6, 0, [25]], ends))).to.deep.equal(['100/7@1', '100/10@1']);
    expect(shape(await answers(centre, [100, 6, 0, [37]], ({ type }) => type === 100))).to.deep.equal([
      '100/7-@1',
    ]);
    expect(shape(await answers(centre, [100, 8, 0, [20]], ({ type }) => type === 100))).to.deep.equal([
      '100/9-@1',
    ]);
  });

  it('of the global address is answered by each address', async () => {
    await using station = await stationWithValues();
    await using centre = await Centre.start(station.port);
    const from = centre.units.length;
    centre.send(100, 6, 0, [36], 0xffff);
    await until('both have ended', () => centre.units.slice(from).filter(ends).length === 2);
    const units = centre.units.slice(from).filter(({ type }) => type !== 70);
    expect(shape(units)).to.deep.equal(['100/7@1', '1/36@1', '100/10@1', '100/7@77', '1/36@77', '100/10@77']);
    expect(shape(await answers(centre, [102, 5, 1, [], 0xffff], ({ type }) => type === 102))).to.deep.equal([
      '102/46-@65535',
    ]);
  });

  it('reports what was never read as invalid and not topical, and then its first value as an event', async () => {
    await using station = await Station.start(tags, table);
    await using centre = await Centre.start(station.port);
    const units = await answers(centre, [100, 6, 0, [22]], ends);
    expect(units.find(({ type }) => type === 11)?.body.toString('hex')).to.equal('0600000000c0');
    await station.deliver({ t5: { value: 0 } });
    const event = await centre.next('the event', ({ type }) => type === 35);
    expect(event).to.include({ cause: 3 });
  });

  it('of 5000 objects is complete while events go on', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ name: `p${index}`, type: DataType.FLOAT }));
    const rows = many.map(({ name }, index) => `${name},36,${index + 1}`);
    await using station = await Station.start(many, ['tag,type,object', ...rows].join('\n'));
    await station.deliver(Object.fromEntries(many.map(({ name }, index) => [name, { value: index }])));
    await using centre = await Centre.start(station.port);
    const asked = answers(centre, [100, 6, 0, [20]], ends);
    for (let round = 1; round <= 20; round++)
      await station.deliver(
        Object.fromEntries(many.slice(0, 100).map(({ name }) => [name, { value: -round }])),
      );
    const units = await asked;
    const state = new Map(
      units
        .filter(({ cause }) => cause === 20)
        .flatMap(reportedIn)
        .map((one) => [one.ioa, one]),
    );
    expect(state.size).to.equal(5000);
    await until(
      'all events are there',
      () => centre.reported.filter(({ cause }) => cause === 3).length === 2000,
    );
    expect(centre.fault).to.equal('');
  });
});

describe('counters', () => {
  const tags = tagsOf(DataType.UINT32, DataType.BIT, DataType.UINT32);
  const table = 'tag,type,object,counters\nt0,15,1,1\nt2,37,3,2';
  const read = async (centre: Centre, group: number): Promise<string[]> => {
    const units = await answers(centre, [101, 6, 0, [group]], ends);
    return units
      .filter(({ type }) => type === 15 || type === 37)
      .flatMap(reportedIn)
      .map(({ cause, ioa, element }) => `${ioa}/${cause} ${element.readInt32LE(0)} ${element[4]}`);
  };

  it('are frozen in the gateway, with reset and without, and stay so over a restart', async () => {
    await using station = await Station.start(tags, table);
    await station.deliver({ t0: { value: 100 }, t2: { value: 1000 } });
    {
      await using centre = await Centre.start(station.port);
      expect(await read(centre, 5), 'as they are').to.deep.equal(['1/37 100 0', '3/37 1000 0']);
      const frozen = await answers(centre, [101, 6, 0, [0x41]], ends);
      expect(shape(frozen)).to.deep.equal(['101/7@1', '101/10@1']);
      await station.deliver({ t0: { value: 130 }, t2: { value: 1300 } });
      expect(await read(centre, 5), 'group 1 is frozen').to.deep.equal(['1/37 100 1', '3/37 1300 0']);
      expect(await read(centre, 1)).to.deep.equal(['1/38 100 1']);
      expect(await read(centre, 2)).to.deep.equal(['3/39 1300 0']);
      expect(await read(centre, 3)).to.deep.equal([]);
      await answers(centre, [101, 6, 0, [0x85]], ends);
      expect(await read(centre, 5), 'frozen with reset').to.deep.equal(['1/37 130 2', '3/37 1300 1']);
      await station.deliver({ t0: { value: 150 }, t2: { value: 1301 } });
      await answers(centre, [101, 6, 0, [0x45]], ends);
      expect(await read(centre, 5), 'counted from there').to.deep.equal(['1/37 20 3', '3/37 1 2']);
    }
    expect(station.writes, 'nothing is written').to.deep.equal([]);
    await station.stop();
    await station.run();
    await station.deliver({ t0: { value: 170 }, t2: { value: 1310 } });
    await using centre = await Centre.start(station.port);
    expect(await read(centre, 5), 'after a restart').to.deep.equal(['1/37 20 3', '3/37 1 2']);
    await answers(centre, [101, 6, 0, [0xc1]], ends);
    await answers(centre, [101, 6, 0, [0x45]], ends);
    expect(await read(centre, 5), 'after a reset alone of group 1').to.deep.equal(['1/37 0 4', '3/37 10 3']);
  });

  it('wrap, and say so', async () => {
    await using station = await Station.start(tagsOf(DataType.UINT32), 'tag,type,object\nt0,15,1');
    await station.deliver({ t0: { value: 0xffff_fffe } });
    await using centre = await Centre.start(station.port);
    expect(await read(centre, 5)).to.deep.equal(['1/37 -2 32']);
    await station.deliver({ t0: { fault: ErrorCode.DISCONNECTED } });
    expect(await read(centre, 5), 'invalid').to.deep.equal(['1/37 -2 160']);
  });

  it('of an unknown group are refused', async () => {
    await using station = await Station.start(tagsOf(DataType.UINT32), 'tag,type,object\nt0,15,1');
    await using centre = await Centre.start(station.port);
    for (const group of [0, 6, 63])
      expect(shape([await centre.ask(101, 6, 0, [group])]), `${group}`).to.deep.equal(['101/7-@1']);
  });
});

describe('other requests', () => {
  const tags = tagsOf(DataType.FLOAT, DataType.BIT);
  const table = 'tag,type,object,cyclic\nt0,36,100,yes\nt1,1,200,\nt1,45,300,';

  it('a read is answered with the object, with time where its type has it', async () => {
    await using station = await Station.start(tags, table);
    const at = Date.UTC(2024, 1, 29, 23, 59, 58, 765);
    await station.deliver({ t0: { value: -10, time: at }, t1: { value: 1 } });
    await using centre = await Centre.start(station.port);
    centre.send(102, 5, 100, [], 1, 9);
    const first = await centre.next('the answer', ({ type }) => type === 36);
    expect(first).to.include({ cause: 5, origin: 9, ca: 1 });
    expect(first.body.toString('hex')).to.equal('640000000020c1008de53b179d0218');
    centre.send(102, 5, 200, []);
    expect((await centre.next('the answer', ({ type }) => type === 1)).body.toString('hex')).to.equal(
      'c8000001',
    );
  });

  it('a clock is answered with the time of the gateway, which is not set; tests are mirrored', async () => {
    await using station = await Station.start(tags, table);
    await using centre = await Centre.start(station.port);
    const clock = await centre.ask(103, 6, 0, time);
    expect(clock).to.include({ cause: 7, isNegative: false });
    expect(clock.body.readUInt8(9), 'this year').to.equal(new Date().getUTCFullYear() % 100);
    const test = await centre.ask(107, 6, 0, [0x34, 0x12, ...time]);
    expect(shape([test])).to.deep.equal(['107/7@1']);
    expect(test.body.toString('hex')).to.equal('000000341200000000010118');
  });

  it('unknown types, causes, addresses and objects are answered with 44 to 47, mirrored', async () => {
    await using station = await Station.start(tags, table);
    await using centre = await Centre.start(station.port);
    const cases: readonly (readonly [
      type: number,
      cause: number,
      ioa: number,
      element: number[],
      ca: number,
      answer: string,
    ])[] = [
      [104, 6, 0, [0xaa, 0x55], 1, '104/44-@1'],
      [120, 13, 0, [1, 2, 3], 1, '120/44-@1'],
      [1, 3, 5, [0], 1, '1/44-@1'],
      [100, 5, 0, [20], 1, '100/45-@1'],
      [102, 6, 100, [], 1, '102/45-@1'],
      [45, 3, 300, [1], 1, '45/45-@1'],
      [103, 8, 0, time, 1, '103/45-@1'],
      [100, 6, 0, [20], 2, '100/46-@2'],
      [45, 6, 300, [1], 9, '45/46-@9'],
      [45, 6, 300, [1], 0xffff, '45/46-@65535'],
      [102, 5, 101, [], 1, '102/47-@1'],
      [102, 5, 300, [], 1, '102/47-@1'],
      [45, 6, 100, [1], 1, '45/47-@1'],
      [46, 6, 300, [1], 1, '46/47-@1'],
      [100, 6, 7, [20], 1, '100/47-@1'],
      [105, 6, 0, [1], 1, '105/7-@1'],
    ];
    for (const [type, cause, ioa, element, ca, answer] of cases) {
      const unit = await centre.ask(type, cause, ioa, element, ca);
      expect(shape([unit])).to.deep.equal([answer]);
      expect([...unit.body], answer).to.deep.equal([ioa & 255, (ioa >> 8) & 255, ioa >> 16, ...element]);
    }
  });

  it('units whose length is not that of their type are left out and counted', async () => {
    await using station = await Station.start(tags, table);
    await using centre = await Centre.start(station.port);
    const bad: readonly number[][] = [
      [100, 1, 6, 0, 1, 0, 0, 0, 0],
      [100, 1, 6, 0, 1, 0, 0, 0, 0, 20, 20],
      [100, 2, 6, 0, 1, 0, 0, 0, 0, 20],
      [100, 0x81, 6, 0, 1, 0, 0, 0, 0, 20],
      [45, 1, 6, 0, 1, 0, 44, 1, 0],
      [45, 1, 6, 0, 1, 0],
      [64, 1, 6, 0, 1, 0, 44, 1, 0, 1, 2, 3, 4],
    ];
    for (const unit of bad) centre.unit(unit);
    await centre.ask(107, 6, 0, [1, 0, ...time]);
    expect(shape(centre.units.filter(({ type }) => type !== 70))).to.deep.equal(['107/7@1']);
    expect(station.record.counts.get('malformed_frames')).to.equal(bad.length);
  });

  it('cyclic objects are reported in their cycle, and others are not', async () => {
    await using station = await Station.start(tags, table, { cyclic_interval: 1 });
    await station.deliver({ t0: { value: 1 }, t1: { value: 1 } });
    await using centre = await Centre.start(station.port);
    await until('two cycles are there', () => centre.units.filter(({ cause }) => cause === 1).length >= 2);
    const cyclic = centre.units.filter(({ cause }) => cause === 1);
    expect(new Set(shape(cyclic))).to.deep.equal(new Set(['13/1@1']));
    expect(cyclic[0]?.body.toString('hex')).to.equal('6400000000803f00');
  });
});
