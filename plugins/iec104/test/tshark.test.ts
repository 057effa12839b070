import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { pointsOf, Run, until } from './run.ts';
import { sequenceOf, Station, unitOf, type Visit } from './station.ts';

const hasTshark = ['tshark', 'text2pcap'].every(
  (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0,
);

/** The frames of a connection as a capture, one packet for each, as tshark shows its fields: a line for each packet. */
function dissect(
  visit: Visit,
  folder: string,
  fields: readonly string[],
  filter = 'iec60870_104',
): string[][] {
  const text = visit.wire
    .map(
      ({ isOurs, bytes }) => `${isOurs ? 'O' : 'I'}\n000000 ${bytes.toString('hex').replace(/../g, '$& ')}\n`,
    )
    .join('\n');
  writeFileSync(join(folder, 'frames.txt'), text);
  const capture = join(folder, 'frames.pcap');
  const made = spawnSync('text2pcap', ['-q', '-D', '-T', '50000,2404', join(folder, 'frames.txt'), capture]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  const shown = spawnSync('tshark', [
    ...['-r', capture, '-Y', filter, '-T', 'fields', '-E', 'occurrence=a', '-E', 'aggregator=,'],
    ...fields.flatMap((field) => ['-e', field]),
  ]);
  if (shown.status !== 0) throw new Error(shown.stderr.toString());
  return shown.stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}

describe(`tshark${hasTshark ? '' : ' (skipped: tshark and text2pcap are not installed)'}`, function () {
  this.timeout(60_000);
  let folder: string;
  before(function () {
    if (!hasTshark) this.skip();
    folder = mkdtempSync(join(tmpdir(), 'tagway-iec104-'));
  });
  after(() => {
    if (hasTshark) rmSync(folder, { recursive: true, force: true });
  });

  it('understands every frame as it was meant', async () => {
    await using station = await Station.start();
    station.add(1, 1, 0).add(3, 2, 1).add(5, 3, 0, 0).add(7, 4, 0, 0, 0, 0, 0);
    station.add(9, 5, 0, 0, 0).add(11, 6, 0, 0, 0).add(13, 0x01_02_03, 0, 0, 0, 0, 0);
    const settings = { t0: 2, t1: 4, t2: 1, t3: 1, w: 4, counter_interval: 3600, clock_interval: 3600 };
    await using run = await Run.connected(station.port, { ...settings, select_before_operate: true });
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
      expect(await run.write([[pointsOf([object, type])[0]!, value]]), `${object}`).to.deep.equal([0]);
    const isTest = (control: number) => () =>
      visit.frames.some((frame) => frame.format === 'U' && frame.control === control);
    await until('it was tested', isTest(0x43));
    await run.stop();
    await until('it is closed', () => visit.isClosed);

    const bad = dissect(visit, folder, ['frame.number'], '_ws.malformed || _ws.expert.severity==0x800000');
    expect(bad).to.deep.equal([]);
    const frames = dissect(visit, folder, ['iec60870_104.type', 'iec60870_104.utype']);
    expect(frames, 'each is one frame of the protocol').to.have.length(visit.wire.length);
    const mine = dissect(
      visit,
      folder,
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
    expect(byType(51)).to.have.length(1);
    const selections = dissect(
      visit,
      folder,
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

  it('and the driver see the same in what a station reports', async () => {
    await using station = await Station.start();
    await using run = await Run.connected(station.port);
    const { visit } = station;
    const time = [0x8d, 0xe5, 59, 23, 29 | (4 << 5), 2, 24];
    const points = pointsOf(
      [300, DataType.FLOAT],
      [301, DataType.FLOAT],
      [302, DataType.FLOAT],
      [400, DataType.INT16],
      [401, DataType.INT16],
      [500, DataType.FLOAT],
    );
    const taken = run.watch(points);
    await until('the interrogation is over', () => visit.vs === 2);
    visit.send(
      sequenceOf(13, 20, 300, [
        [0, 0, 0xc0, 0x3f, 0],
        [0, 0, 0x20, 0xc1, 0],
        [0, 0, 0x80, 0x3e, 0],
      ]),
    );
    visit.send(
      unitOf(11, 3, [
        [400, 0x18, 0xfc, 0],
        [401, 0xe8, 3, 0],
      ]),
    );
    visit.send(unitOf(36, 3, [[500, 0, 0, 0xa0, 0x40, 0, ...time]]));
    await until('all have come', () => taken.latest[5] === 5);
    const theirs = (field: string, type: number): number[] =>
      dissect(visit, folder, [field], `iec60870_asdu.typeid == ${type}`).flatMap(([cell = '']) =>
        cell.split(',').map(Number),
      );
    expect(taken.latest.slice(0, 3)).to.deep.equal(theirs('iec60870_asdu.float', 13));
    expect(theirs('iec60870_asdu.ioa', 13)).to.deep.equal([300, 301, 302]);
    expect(taken.latest.slice(3, 5)).to.deep.equal(theirs('iec60870_asdu.scalval', 11));
    const [[told = ''] = []] = dissect(
      visit,
      folder,
      ['iec60870_asdu.cp56time'],
      'iec60870_asdu.typeid == 36',
    );
    expect(new Date(taken.times[5]!).toISOString()).to.equal('2024-02-29T23:59:58.765Z');
    expect(told).to.match(/23:59:58\.765/);
  });
});
