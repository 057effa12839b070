import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { pointsOf, Fixture } from './fixture.ts';
import { Station, unitOf, type Unit } from './station.ts';

const { BIT, BOOL, UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT } = DataType;

/** A station with one object of each kind that can be commanded: objects 1 to 7. */
async function openNode(
  params: Record<string, unknown> = {},
): Promise<AsyncDisposable & { station: Station; fixture: Fixture }> {
  const station = await Station.start();
  station.add(1, 1, 0).add(3, 2, 1).add(5, 3, 0, 0).add(7, 4, 0, 0, 0, 0, 0);
  station.add(9, 5, 0, 0, 0).add(11, 6, 0, 0, 0).add(13, 7, 0, 0, 0, 0, 0);
  const fixture = await Fixture.connected(station.port, params);
  await until('it was interrogated', () => station.visit.units.length > 0 && station.visit.vs > 8);
  return {
    station,
    fixture,
    [Symbol.asyncDispose]: async () => {
      await fixture.stop();
      await station.vanish();
    },
  };
}

/** Commands that the station was sent: type, cause, and the octets of the element. */
const commandsOf = (units: readonly Unit[]): unknown[] =>
  units.filter(({ type }) => type < 70).map(({ type, cause, body }) => [type, cause, ...body.subarray(3)]);

describe('writes', () => {
  it('are the command of the type of the tag', async () => {
    await using node = await openNode();
    const { fixture, station } = node;
    const points = pointsOf(
      [1, BIT],
      [1, BOOL],
      [2, UINT8],
      [3, INT8],
      [4, UINT32],
      [4, INT32],
      [6, INT16],
      [6, UINT16],
      [7, FLOAT],
    );
    const values = [1, false, 2, 1, 0xfedcba98, -2, -2, 258, -0.25];
    for (const [at, value] of values.entries())
      expect(await fixture.write([[points[at]!, value]]), `${at}`).to.deep.equal([0]);
    expect(commandsOf(station.visit.units)).to.deep.equal([
      ...[
        [45, 6, 1],
        [45, 6, 0],
        [46, 6, 2],
        [47, 6, 1],
        [51, 6, 0x98, 0xba, 0xdc, 0xfe],
        [51, 6, 0xfe, 0xff, 0xff, 0xff],
      ],
      ...[
        [49, 6, 0xfe, 0xff, 0],
        [49, 6, 2, 1, 0],
        [50, 6, 0, 0, 0x80, 0xbe, 0],
      ],
    ]);
  });

  it('that no command can carry are refused before anything is sent', async () => {
    await using node = await openNode();
    const { fixture, station } = node;
    const points = pointsOf([2, UINT8], [2, UINT8], [3, INT8], [6, UINT16], [7, FLOAT], [7, FLOAT]);
    const values = [0, 3, 0, 40_000, NaN, 1e300];
    const codes = await fixture.write(points.map((point, at) => [point, values[at]!]));
    expect(codes).to.deep.equal(new Array(6).fill(ErrorCode.VALUE_OUT_OF_RANGE));
    expect(commandsOf(station.visit.units)).to.deep.equal([]);
  });

  it('of a fraction become normalized where the object takes no short float, and stay so', async () => {
    await using node = await openNode();
    const { fixture, station } = node;
    const [point] = pointsOf([5, FLOAT]);
    for (const value of [-0.5, 1]) expect(await fixture.write([[point!, value]])).to.deep.equal([0]);
    expect(commandsOf(station.visit.units).map((command) => (command as number[])[0])).to.deep.equal([
      50, 48, 48,
    ]);
    expect(station.objects.get(5)?.element).to.deep.equal(Buffer.from([0xff, 0x7f, 0]));
    expect(await fixture.write([[point!, 1.5]])).to.deep.equal([ErrorCode.WRITE_FAILED]);
  });

  it('select before they operate, if that is asked for', async () => {
    await using node = await openNode({ select_before_operate: true });
    const { fixture, station } = node;
    const points = pointsOf([1, BIT], [6, INT16], [4, UINT32]);
    for (const point of points) expect(await fixture.write([[point, 1]])).to.deep.equal([0]);
    expect(commandsOf(station.visit.units)).to.deep.equal([
      ...[
        [45, 6, 0x81],
        [45, 6, 1],
        [49, 6, 1, 0, 0x80],
        [49, 6, 1, 0, 0],
        [51, 6, 1, 0, 0, 0],
      ],
    ]);
    station.script = (frame, visit) => {
      if (frame.format !== 'I') return undefined;
      visit.vr++;
      visit.send([45, 1, 7 | 0x40, 0, 1, 0, ...frame.unit.body]);
      return true;
    };
    expect(await fixture.write([[points[0]!, 0]]), 'a selection that is refused').to.deep.equal([
      ErrorCode.WRITE_FAILED,
    ]);
    expect(commandsOf(station.visit.units).at(-1)).to.deep.equal([45, 6, 0x80]);
  });

  const refusals: readonly (readonly [name: string, octet: number])[] = [
    ['a negative confirmation', 7 | 0x40],
    ['an unknown type, marked negative', 44 | 0x40],
    ['an unknown type', 44],
    ['an unknown cause', 45],
    ['an unknown common address', 46],
    ['an unknown object, marked negative', 47 | 0x40],
    ['an unknown object', 47],
    ['a negative termination without a confirmation', 10 | 0x40],
  ];
  for (const [name, octet] of refusals) {
    it(`fail with ${name}`, async () => {
      await using node = await openNode();
      const { fixture, station } = node;
      station.script = (frame, visit) => {
        if (frame.format !== 'I') return undefined;
        visit.vr++;
        visit.send([frame.unit.type, 1, octet, 0, 1, 0, ...frame.unit.body]);
        return true;
      };
      expect(await fixture.write([[pointsOf([1, BIT])[0]!, 1]])).to.deep.equal([ErrorCode.WRITE_FAILED]);
    });
  }

  it('that are refused say what was refused, the selection or the execution, and name the setting', async () => {
    const negative = 7 | 0x40;
    const answers = { select: 7, execute: negative };
    const script: Station['script'] = (frame, visit) => {
      if (frame.format !== 'I') return undefined;
      visit.vr++;
      const isSelection = (frame.unit.body[3]! & 0x80) !== 0;
      visit.send([45, 1, isSelection ? answers.select : answers.execute, 0, 1, 0, ...frame.unit.body]);
      return true;
    };
    const [point] = pointsOf([1, BIT]);
    await using direct = await openNode();
    direct.station.script = script;
    expect(await direct.fixture.refusalOf(point!, 1)).to.match(
      /^The station refused the command: .*negative.*\. .*select_before_operate/,
    );
    await using selected = await openNode({ select_before_operate: true });
    selected.station.script = script;
    expect(await selected.fixture.refusalOf(point!, 1)).to.match(
      /^The station took the selection and refused to execute the command: .*negative/,
    );
    answers.select = negative;
    expect(await selected.fixture.refusalOf(point!, 1)).to.match(
      /^The station refused the selection before the command: .*\. .*select_before_operate/,
    );
    answers.select = 46;
    expect(await selected.fixture.refusalOf(point!, 1)).to.include('(cause 46)');
  });

  it('fail when they are confirmed and then ended as failed', async () => {
    await using node = await openNode();
    node.station.termination = 'negative';
    expect(await node.fixture.write([[pointsOf([1, BIT])[0]!, 1]])).to.deep.equal([ErrorCode.WRITE_FAILED]);
  });

  it('succeed without a termination, after the wait for it', async () => {
    await using node = await openNode({ termination_wait: 100 });
    node.station.termination = 'none';
    const from = performance.now();
    expect(await node.fixture.write([[pointsOf([1, BIT])[0]!, 1]])).to.deep.equal([0]);
    expect(performance.now() - from).to.be.within(95, 5_000);
  });

  it('that are not confirmed have no response, and their late answer is not taken for that of another value', async () => {
    await using node = await openNode({ t1: 2, t2: 1, termination_wait: 0 });
    const { fixture, station } = node;
    const [point] = pointsOf([6, INT16]);
    const late: Unit[] = [];
    station.script = (frame, visit) => {
      if (frame.format !== 'I') return undefined;
      visit.vr++;
      late.push(frame.unit);
      visit.raw(Buffer.from([0x68, 4, 1, 0, (visit.vr * 2) & 255, visit.vr >> 7]));
      return true;
    };
    expect(await fixture.write([[point!, 1]])).to.deep.equal([ErrorCode.NO_RESPONSE]);
    expect(fixture.isUp, 'the link is not to blame').to.equal(true);
    const written = fixture.write([[point!, 2]]);
    await until('the second has come', () => late.length === 2);
    const answer = (unit: Unit, cause: number): void =>
      station.visit.send([49, 1, cause, 0, 1, 0, ...unit.body]);
    answer(late[0]!, 7 | 0x40);
    answer(late[1]!, 7);
    expect(await written).to.deep.equal([0]);
  });

  it('to one object go one after the other, to others side by side; one that fails costs itself alone', async () => {
    await using node = await openNode({ termination_wait: 0 });
    const { fixture, station } = node;
    const points = pointsOf([6, INT16], [6, INT16], [9999, INT16], [1, BIT]);
    expect(
      await fixture.write([
        [points[0]!, 1],
        [points[1]!, 2],
        [points[2]!, 3],
        [points[3]!, 1],
      ]),
    ).to.deep.equal([...[0, 0, ErrorCode.WRITE_FAILED, 0]]);
    expect(station.objects.get(6)?.element[0]).to.equal(2);
  });

  it('under way fail when the link is lost, and end when the call aborts', async () => {
    await using node = await openNode();
    const { fixture, station } = node;
    station.script = (frame) => frame.format === 'I';
    const point = pointsOf([1, BIT], [2, UINT8]);
    const abort = new AbortController();
    const aborted = fixture.write([[point[1]!, 1]], abort.signal).then(
      () => 'settled',
      () => 'aborted',
    );
    abort.abort(new Error('over'));
    expect(await aborted).to.equal('aborted');
    const written = fixture.write([[point[0]!, 1]]);
    await until('it has come', () => commandsOf(station.visit.units).length === 2);
    await station.vanish();
    expect(await written).to.deep.equal([ErrorCode.DISCONNECTED]);
    expect(await fixture.write([[point[0]!, 1]])).to.deep.equal([ErrorCode.DISCONNECTED]);
  });

  it('show in what the station returns', async () => {
    await using node = await openNode();
    const report = node.fixture.watch(pointsOf([1, BIT]));
    expect(await node.fixture.write([[pointsOf([1, BIT])[0]!, 1]])).to.deep.equal([0]);
    await until('it is returned', () => report.latest[0] === 1);
    node.station.visit.send(unitOf(1, 12, [[1, 0]]));
    await until('a change at the station itself is returned', () => report.latest[0] === 0);
  });
});
