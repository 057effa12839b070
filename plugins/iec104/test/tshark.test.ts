import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { Dissection, until, withTshark } from '@tagway/testkit';
import { pointsOf, Fixture } from './fixture.ts';
import { sequenceOf, Station, unitOf, type Visit } from './station.ts';

/** The fields of each frame of a connection that the filter lets through. */
const dissect = (visit: Visit, fields: readonly string[], filter = 'iec60870_104'): string[][] =>
  dissectionOf(visit).fields(fields, filter);

const dissectionOf = (visit: Visit): Dissection =>
  new Dissection(
    visit.wire.map(({ isOurs, bytes }) => ({ fromClient: !isOurs, bytes })),
    2404,
  );

/**
 * A bit string of tshark, which shows its octets in the order in which they were sent. Bit 1 is the lowest bit of the first octet, as everything
 * in a unit of data begins with its lowest octet.
 */
function bitsOf(shown: number): number {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(shown);
  return octets.readUInt32LE();
}

withTshark('tshark', () => {
  it('understands every frame as it was meant', async () => {
    await using station = await Station.start();
    station.add(1, 1, 0).add(3, 2, 1).add(5, 3, 0, 0).add(7, 4, 0, 0, 0, 0, 0);
    station.add(9, 5, 0, 0, 0).add(11, 6, 0, 0, 0).add(13, 0x01_02_03, 0, 0, 0, 0, 0);
    const settings = { t0: 2, t1: 4, t2: 1, t3: 1, w: 4, counter_interval: 3600, clock_interval: 3600 };
    await using fixture = await Fixture.connected(station.port, { ...settings, select_before_operate: true });
    const { visit } = station;
    await until('counters were asked for', () => visit.units.some(({ type }) => type === 101));
    const writes: readonly (readonly [object: number, type: DataType, value: number])[] = [
      [1, DataType.BIT, 1],
      [2, DataType.UINT8, 2],
      [3, DataType.INT8, 1],
      [4, DataType.UINT32, 0x8000_0001],
      [5, DataType.FLOAT, -0.5],
      [6, DataType.INT16, -300],
      [0x01_02_03, DataType.FLOAT, 20.25],
    ];
    for (const [object, type, value] of writes)
      expect(await fixture.write([[pointsOf([object, type])[0]!, value]]), `${object}`).to.deep.equal([0]);
    const isTest = (control: number) => () =>
      visit.frames.some((frame) => frame.format === 'U' && frame.control === control);
    await until('it was tested', isTest(0x43));
    await fixture.stop();
    await until('it is closed', () => visit.isClosed);

    expect(dissectionOf(visit).malformed()).to.deep.equal([]);
    const frames = dissect(visit, ['iec60870_104.type', 'iec60870_104.utype']);
    expect(frames, 'each is one frame of the protocol').to.have.length(visit.wire.length);
    const mine = dissect(
      visit,
      [
        ...['iec60870_asdu.typeid', 'iec60870_asdu.causetx', 'iec60870_asdu.addr', 'iec60870_asdu.ioa'],
        ...[
          'iec60870_asdu.float',
          'iec60870_asdu.normval',
          'iec60870_asdu.scalval',
          'iec60870_asdu.bitstring',
        ],
      ],
      'iec60870_asdu && tcp.dstport == 2404',
    );
    const byType = (type: number): string[][] => mine.filter(([id]) => id === String(type));
    expect(mine.every(([, cause, ca]) => cause === '6' && ca === '1')).to.equal(true);
    expect(byType(100)).to.have.length(1);
    expect(byType(101)).to.have.length(1);
    expect(byType(103)).to.have.length(1);
    for (const type of [45, 46, 47, 48, 49]) expect(byType(type), `${type}`).to.have.length(2);
    expect(byType(45).map((row) => row[3])).to.deep.equal(['1', '1']);
    expect(byType(48).map((row) => Number(row[5]))).to.deep.equal([-0.5, -0.5]);
    expect(byType(49).map((row) => Number(row[6]))).to.deep.equal([-300, -300]);
    expect(
      byType(50)
        .filter((row) => row[3] === String(0x01_02_03))
        .map((row) => Number(row[4])),
    ).to.deep.equal([20.25, 20.25]);
    expect(byType(51).map((row) => bitsOf(Number(row[7])))).to.deep.equal([0x8000_0001]);
    const switched = (field: string, type: number): string[] =>
      dissect(visit, [`iec60870_asdu.${field}`], `iec60870_asdu.typeid == ${type} && tcp.dstport == 2404`)
        .flat()
        .map((cell) => cell.replace('True', '1'));
    expect(switched('sco.on', 45), 'on').to.deep.equal(['1', '1']);
    expect(switched('dco.on', 46), 'on').to.deep.equal(['2', '2']);
    expect(switched('rco.up', 47), 'lower').to.deep.equal(['1', '1']);
    const selections = dissect(
      visit,
      [
        'iec60870_asdu.typeid',
        'iec60870_asdu.sco.se',
        'iec60870_asdu.dco.se',
        'iec60870_asdu.rco.se',
        'iec60870_asdu.qos.se',
      ],
      'iec60870_asdu && tcp.dstport == 2404 && iec60870_asdu.typeid < 50',
    ).map((row) =>
      row
        .filter((cell) => cell !== '')
        .map((cell) => cell.replace('True', '1').replace('False', '0'))
        .join(' '),
    );
    for (const type of [45, 46, 47, 49])
      expect(selections.filter((row) => row.startsWith(`${type} `))).to.deep.equal([
        `${type} 1`,
        `${type} 0`,
      ]);
  });

  /** Types without and with a time tag, an element, the type of its tag, its value, and the field that tshark has it in. */
  const reports: readonly (readonly [
    plain: number,
    timed: number,
    element: readonly number[],
    type: DataType,
    value: number,
    field: string,
  ])[] = [
    [1, 30, [1], DataType.BIT, 1, 'siq.spi'],
    [3, 31, [2], DataType.UINT8, 2, 'diq.dpi'],
    [5, 32, [0x40, 0], DataType.INT8, -64, 'vti.v'],
    [7, 33, [1, 2, 3, 0x84, 0], DataType.UINT32, 0x84030201, 'bitstring'],
    [9, 34, [0, 0xc0, 0], DataType.FLOAT, -0.5, 'normval'],
    [11, 35, [0x18, 0xfc, 0], DataType.INT16, -1000, 'scalval'],
    [13, 36, [0, 0, 0x20, 0xc1, 0], DataType.FLOAT, -10, 'float'],
    [15, 37, [0xfe, 0xff, 0xff, 0xff, 3], DataType.INT32, -2, 'bcr.count'],
    [21, 0, [0, 0x40], DataType.FLOAT, 0.5, 'normval'],
  ];
  const time = [0x8d, 0xe5, 59, 23, 29 | (4 << 5), 2, 24];

  it('and the driver see the same in every type that a station reports, one by one and in sequence', async () => {
    await using station = await Station.start();
    await using fixture = await Fixture.connected(station.port);
    const { visit } = station;
    await until('the interrogation is over', () => visit.vs === 2);
    const objects: [ioa: number, type: DataType][] = [];
    const watched = reports.map(([plain, timed, element, type, value]) => {
      const base = plain * 1000;
      const of = [base, base + 1, base + 256, base + 257, base + 300, base + 400, base + 401];
      const used = timed === 0 ? of.slice(0, 4) : of;
      objects.push(...used.map((ioa): [number, DataType] => [ioa, type]));
      visit.send(
        unitOf(plain, 3, [
          [base, ...element],
          [base + 1, ...element],
        ]),
      );
      visit.send(sequenceOf(plain, 20, base + 256, [element, element]));
      if (timed !== 0) {
        visit.send(unitOf(timed, 3, [[base + 300, ...element, ...time]]));
        visit.send(
          sequenceOf(timed, 5, base + 400, [
            [...element, ...time],
            [...element, ...time],
          ]),
        );
      }
      return { used, value };
    });
    const report = fixture.watch(pointsOf(...objects));
    const expected = watched.flatMap(({ used, value }) => used.map(() => value));
    await until('all have come', () => expected.every((value, at) => report.latest[at] === value));
    expect(report.times.filter((one) => !Number.isNaN(one))).to.deep.equal(
      Array.from({ length: 8 * 3 }, () => Date.UTC(2024, 1, 29, 23, 59, 58, 765)),
    );

    expect(dissectionOf(visit).malformed()).to.deep.equal([]);
    const fields = reports.map(([, , , , , field]) => `iec60870_asdu.${field}`);
    const head = ['iec60870_asdu.typeid', 'iec60870_asdu.sq', 'iec60870_asdu.ioa', 'iec60870_asdu.cp56time'];
    const rows = dissect(
      visit,
      [...head, ...new Set(fields)],
      'iec60870_asdu.typeid < 40 && tcp.srcport == 2404',
    );
    const theirs = rows.flatMap(([id = '', , ioas = '', times = '', ...cells]) => {
      const known = reports.find(([plain, timed]) => [plain, timed].includes(Number(id)));
      if (known === undefined) throw new Error(`Type ${id} was not sent.`);
      const [plain, , , , , field] = known;
      const values = cells[[...new Set(fields)].indexOf(`iec60870_asdu.${field}`)] ?? '';
      if (Number(id) !== plain) expect(times).to.match(/23:59:58\.765/);
      const numbers = values
        .split(',')
        .map((cell) => Number(cell.replace('True', '1')))
        .map((number) => (field === 'bitstring' ? bitsOf(number) : number));
      return ioas.split(',').map((ioa, at) => [Number(ioa), numbers[at]]);
    });
    const byObject = new Map(theirs as [number, number][]);
    expect(byObject.size).to.equal(objects.length);
    expect(objects.map(([ioa]) => byObject.get(ioa))).to.deep.equal(report.latest);
    const sequences = rows.filter(([, isSequence]) => /1|True/.test(isSequence ?? ''));
    expect(sequences, 'in sequence').to.have.length(9 + 8);
  });
});
