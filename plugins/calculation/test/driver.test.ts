import { expect } from 'chai';
import { DataType, ErrorCode, Fault, Quality } from '@tagway/sdk';
import type { TagWrite, Writer } from '@tagway/sdk';
import { fakeStore } from '@tagway/testkit';
import { Calculations } from './fixture.ts';

const { BIT, BOOL, BYTES, DOUBLE, FLOAT, INT8, INT16, INT64, STRING, UINT16, UINT32, UINT64 } = DataType;

const lost = new Fault(ErrorCode.DISCONNECTED, '"n/g/x" has no value: the device is gone.');
const x = 'tag("n/g/x")';
const y = 'tag("n/g/y")';

describe('The driver', () => {
  it('stores what new values are about, and everything at the tick', async () => {
    const calculations = await Calculations.start();
    calculations.group([
      [1, `${x} + 1.0`],
      [2, `${y} + 1.0`],
      [3, `${x} + ${y}`],
    ]);
    calculations.inputs['n/g/y'] = 10;
    expect([...(await calculations.arrive({ 'n/g/x': 5 }))]).to.deep.equal([
      [0, 6],
      [2, 15],
    ]);
    expect(await calculations.tick()).to.deep.equal([6, 11, 15]);
  });

  it('calculates only at the tick when the setting says so, and functions with a state see everything', async () => {
    const calculations = await Calculations.start({ evaluate: 1 });
    calculations.group([[1, `count(${x} > 5)`]]);
    for (const value of [1, 9, 1, 9, 1])
      expect((await calculations.arrive({ 'n/g/x': value })).size).to.equal(0);
    expect(await calculations.tick()).to.deep.equal([2]);
  });

  const types: readonly (readonly [
    address: string,
    type: DataType,
    input: number | bigint | string | boolean | Uint8Array,
    expected: unknown,
  ])[] = [
    [x, FLOAT, 2.5, 2.5],
    [x, INT16, 2.5, 3],
    [x, INT16, -2.5, -3],
    [x, INT16, 40_000, 'The result lies outside of what INT16 can hold.'],
    [x, UINT16, -1, 'The result lies outside of what UINT16 can hold.'],
    [x, INT8, 127.4, 127],
    [x, INT64, 2n ** 62n, 2n ** 62n],
    [x, UINT64, 2n ** 62n, 2n ** 62n],
    [`${x} + 1`, INT64, 9_007_199_254_740_992n, 9_007_199_254_740_993n],
    [x, INT64, 5.5, 6n],
    [x, UINT32, 2n ** 40n, 'The result lies outside of what UINT32 can hold.'],
    [x, DOUBLE, 9_007_199_254_740_993n, 9_007_199_254_740_992],
    [x, BIT, true, 1],
    [x, BOOL, false, 0],
    [x, UINT16, true, 1],
    [
      x,
      BIT,
      5,
      'The expression gives a number, which a tag of type BIT cannot hold. A comparison makes true or false of it.',
    ],
    [x, STRING, 'text', 'text'],
    [x, STRING, 2.5, '2.5'],
    [x, STRING, true, 'true'],
    [x, INT16, 'text', 'The expression gives a text, which a tag of type INT16 cannot hold.'],
    [x, BYTES, Buffer.from('ab'), '6162'],
    [`${x} / 0.0`, DOUBLE, 5, 'The result is infinite or not a number, as after a division by zero.'],
    [`${x} * 1e300`, FLOAT, 5, 'The result lies outside of what FLOAT can hold.'],
    [`math.sqrt(${x})`, INT16, -1, 'The result is infinite or not a number, as after a division by zero.'],
  ];
  for (const [address, type, input, expected] of types)
    it(`${address} of ${typeof input} ${String(input)} as type ${type} is ${String(expected)}`, async () => {
      const calculations = await Calculations.start();
      calculations.group([[1, address, type]]);
      expect((await calculations.arrive({ 'n/g/x': input })).get(0)).to.equal(expected);
    });

  it('gives the fault of an input, with its name, and the quality and time of what was read', async () => {
    const calculations = await Calculations.start();
    calculations.group([
      [1, `${x} * 2.0`],
      [2, `good(${x}) ? ${x} : ${y}`],
    ]);
    const time = calculations.now - 5000;
    await calculations.arrive({
      'n/g/x': { value: 1, time, quality: Quality.UNCERTAIN },
      'n/g/y': { value: 7, time: time + 1 },
    });
    expect([...calculations.last.outcomes.values()]).to.deep.equal([2, 7]);
    expect(calculations.last.stamps.get(0)).to.deep.equal([time, Quality.UNCERTAIN]);
    expect(calculations.last.stamps.get(1)).to.deep.equal([time + 1, Quality.GOOD]);
    await calculations.arrive({ 'n/g/x': lost });
    expect([...calculations.last.outcomes.values()]).to.deep.equal([lost.message, 7]);
  });

  it('a tag that is not there is a fault of those that read it, and of no others', async () => {
    const calculations = await Calculations.start();
    calculations.group([
      [1, `${x} + 1`],
      [2, '1.5 + 1'],
    ]);
    expect(await calculations.tick()).to.deep.equal(['There is no tag "n/g/x" that can be read.', 2.5]);
  });

  it('takes at a tick what has come without a sample', async () => {
    const calculations = await Calculations.start();
    calculations.group([[1, `${x} + 1`]]);
    expect(await calculations.tick()).to.deep.equal(['There is no tag "n/g/x" that can be read.']);
    calculations.inputs['n/g/x'] = { value: 5, type: INT16, time: 1 };
    expect(await calculations.tick()).to.deep.equal([6]);
  });

  it('an input that gets another type is calculated as that', async () => {
    const calculations = await Calculations.start();
    calculations.group([[1, `${x} / 2`]]);
    expect((await calculations.arrive({ 'n/g/x': { value: 5, type: INT16 } })).get(0)).to.equal(2);
    expect((await calculations.arrive({ 'n/g/x': { value: 5, type: FLOAT } })).get(0)).to.equal(2.5);
    expect((await calculations.arrive({ 'n/g/x': 'five' })).get(0)).to.equal(
      'Character 1: / takes numbers, and what stands left of it is a text.',
    );
  });

  describe('keeps totals', () => {
    const total = `total(${x})`;

    async function filled(store = fakeStore()): Promise<Calculations> {
      const calculations = await Calculations.start({}, { store });
      calculations.group([[7, total]]);
      await calculations.arrive({ 'n/g/x': 10 });
      await calculations.arrive({ 'n/g/x': 10 }, 5);
      return calculations;
    }

    it('over a stop, without the time between', async () => {
      const store = fakeStore();
      const first = await filled(store);
      expect(await first.tick(0)).to.deep.equal([50]);
      await first.driver.stop();
      const next = await Calculations.start({}, { store });
      next.group([[7, total]]);
      next.now = first.now + 100_000;
      expect((await next.arrive({ 'n/g/x': 10 })).get(0)).to.equal(50);
      expect(await next.tick(1)).to.deep.equal([60]);
    });

    it('over other names of the tag and of its input, and over a change of what stands around', async () => {
      const calculations = await filled();
      calculations.group([
        [9, '1.0'],
        [7, 'total(tag("other/g/x")) / 2.0'],
      ]);
      calculations.inputs['other/g/x'] = 10;
      expect(await calculations.tick(0)).to.deep.equal([1, 25]);
    });

    it('and every other state over a change of the group', async () => {
      const calculations = await Calculations.start();
      const delta = `delta(${x})`;
      calculations.group([[7, delta]]);
      await calculations.arrive({ 'n/g/x': 10 });
      await calculations.arrive({ 'n/g/x': 14 });
      calculations.group([
        [9, '1.0'],
        [7, delta],
      ]);
      expect(await calculations.tick()).to.deep.equal([1, 4]);
      expect((await calculations.arrive({ 'n/g/x': 15 })).get(1)).to.equal(1);
    });

    it('not over another tag, nor another function', async () => {
      const calculations = await filled();
      calculations.group([
        [8, total],
        [7, `count(${x} > 5)`],
      ]);
      expect(await calculations.tick(0)).to.deep.equal([0, 0]);
    });

    it('says once that they cannot be saved, and saves them later', async () => {
      const store = fakeStore();
      let isBroken = true;
      const calculations = await filled({
        read: () => store.read(),
        write: (entries) =>
          isBroken ? Promise.reject(new Fault(ErrorCode.FILE_WRITE_FAILED)) : store.write(entries),
      });
      await calculations.driver.stop();
      await calculations.driver.stop();
      expect(calculations.logs.filter((line) => line.includes('could not be saved'))).to.have.length(1);
      isBroken = false;
      await calculations.driver.stop();
      expect(calculations.logs.at(-1)).to.include('saved again');
      expect((await store.read()).get('t7')).to.equal('[[0,"total",{"sum":50}]]');
    });

    it('does not start with a store that cannot be read: every total would begin anew', async () => {
      const store = { ...fakeStore(), read: () => Promise.reject(new Fault(ErrorCode.FILE_READ_FAILED)) };
      const failed = await Calculations.start({}, { store }).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Fault);
    });

    it('forgets those of tags that nobody has asked for in a day', async () => {
      const store = fakeStore();
      await store.write([['t99', '[[0,"total",{"sum":1}]]']]);
      const calculations = await filled(store);
      await calculations.driver.stop();
      expect([...(await store.read()).keys()]).to.have.members(['t7', 't99']);
      calculations.now += 25 * 3_600_000;
      await calculations.driver.stop();
      expect([...(await store.read()).keys()]).to.deep.equal(['t7']);
    });
  });

  it('a test read calculates without adding', async () => {
    const calculations = await Calculations.start();
    calculations.group([[7, `total(${x})`]]);
    await calculations.arrive({ 'n/g/x': 10 });
    await calculations.arrive({ 'n/g/x': 10 }, 5);
    calculations.now += 1000;
    expect(await calculations.test(`total(${x})`)).to.equal(60);
    expect(await calculations.test(`total(${x})`)).to.equal(60);
    expect(
      await calculations.test(`total(${x}) / 2.0`),
      'an expression of no tag begins at its beginning',
    ).to.equal(0);
    expect(await calculations.tick(0)).to.deep.equal([60]);
  });

  describe('writes', () => {
    const ana: Writer = { kind: 'user', name: 'ana' };
    const panel: Writer = { kind: 'app', name: 'panel' };

    it('the tag that the written one stands for, for who writes, with its answer', async () => {
      const written: { writes: readonly TagWrite[]; by: Writer | undefined }[] = [];
      const calculations = await Calculations.start(
        {},
        {
          write: (writes, options) => {
            written.push({ writes, by: options?.by });
            return Promise.resolve(writes.map(({ tag }) => (tag === 'y' ? lost : undefined)));
          },
        },
      );
      calculations.group([
        [1, x, INT16],
        [2, `scale(${x}, 0, 27648, 0.0, 100.0)`],
        [3, y, STRING],
        [4, `${x} + 1`],
        [5, `scale(tag("n/g/analog"), 4.0, 20.0, -50.0, 50.0)`],
      ]);
      await calculations.arrive({ 'n/g/x': { value: 5, type: INT16 }, 'n/g/y': 'a', 'n/g/analog': 4.5 });
      expect(
        await calculations.write([
          [0, 7, ana],
          [1, 33.3, ana],
          [2, 'b', panel],
          [3, 1, ana],
          [4, 0.5],
        ]),
      ).to.deep.equal([0, 0, ErrorCode.DISCONNECTED, ErrorCode.WRITE_FAILED, 0]);
      const there = { driver: 'n', group: 'g' };
      expect(written).to.deep.equal([
        {
          by: ana,
          writes: [
            { ...there, tag: 'x', value: 7 },
            // The target holds whole numbers.
            { ...there, tag: 'x', value: 9207 },
          ],
        },
        { by: panel, writes: [{ ...there, tag: 'y', value: 'b' }] },
        { by: undefined, writes: [{ ...there, tag: 'analog', value: 12.08 }] },
      ]);
    });
  });
});
