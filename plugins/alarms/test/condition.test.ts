import { expect } from 'chai';
import { DataType, ErrorCode, Fault, Quality, type Value } from '@tagway/sdk';
import { Alarms } from './fixture.ts';

const x = 'tag("n/g/x")';
const y = 'tag("n/g/y")';
const lost = new Fault(ErrorCode.DISCONNECTED, '"n/g/x" has no value: the device is gone.');

/** Whether the alarm is there after each of the samples, which come a second apart. */
async function after(definition: string, values: readonly (Value | Fault)[]): Promise<unknown[]> {
  const alarms = (await Alarms.start()).group([definition, DataType.BIT]);
  const shown: unknown[] = [];
  for (const value of values) shown.push(await alarms.arrive({ 'n/g/x': value }));
  return shown;
}

describe('The conditions', () => {
  const cases: readonly (readonly [
    definition: string,
    values: readonly Value[],
    shown: readonly number[],
  ])[] = [
    [`high(${x}, 90)`, [89.9, 90, 91, 89.9], [0, 1, 1, 0]],
    [`high(${x}, 90, deadband: 2)`, [89, 90, 89, 88, 87.9, 89], [0, 1, 1, 1, 0, 0]],
    [`high_high(${x}, 90)`, [1, 90], [0, 1]],
    [`low(${x}, 10, deadband: 2)`, [10.1, 10, 11, 12, 12.1, 11], [0, 1, 1, 1, 0, 0]],
    [`low_low(${x}, -5)`, [0, -5], [0, 1]],
    [`deviation(${x}, 50, 5, deadband: 1)`, [50, 55, 54, 53.9, 45], [0, 1, 1, 0, 1]],
    [`rate(${x}, 5)`, [10, 14, 19, 14, 14], [0, 0, 1, 1, 0]],
    [`equal(${x}, 3, 5)`, [3, 4, 5], [1, 0, 1]],
    [`equal(${x}, "off")`, ['on', 'off'], [0, 1]],
    [`equal(${x}, true)`, [false, true], [0, 1]],
    [`equal(${x}, 3)`, [3n, 4n], [1, 0]],
    [`equal(${x}, 9007199254740993)`, [9007199254740992n, 9007199254740993n], [0, 1]],
    [`equal(${x}, 18446744073709551616)`, [5, 2 ** 64], [0, 1]],
    [`equal(${x}, 2.5)`, [2n, 2.5], [0, 1]],
    [`high(${x}, 3)`, [2n, 3n], [0, 1]],
    [`condition(${x} > 3.0 && ${x} < 5.0)`, [3, 4, 5], [0, 1, 0]],
  ];
  for (const [definition, values, shown] of cases)
    it(`${definition} of ${values.join(', ')}`, async () => {
      expect(await after(definition, values)).to.deep.equal(shown);
    });

  it('a deviation from another tag follows both', async () => {
    const alarms = (await Alarms.start()).group([`deviation(${x}, ${y}, 5)`, DataType.BIT]);
    expect(await alarms.arrive({ 'n/g/x': 10, 'n/g/y': 10 })).to.equal(0);
    expect(await alarms.arrive({ 'n/g/y': 15 })).to.equal(1);
    expect(await alarms.arrive({ 'n/g/x': 11 })).to.equal(0);
  });

  it('an input in error changes nothing, and makes the state uncertain', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90)`);
    expect(await alarms.arrive({ 'n/g/x': 95 })).to.equal('unacknowledged');
    for (const wrong of [lost, NaN, 'text']) {
      expect(await alarms.arrive({ 'n/g/x': wrong })).to.equal('unacknowledged');
      expect(alarms.last.stamps.get(0)?.[1]).to.equal(Quality.UNCERTAIN);
      expect(await alarms.tick()).to.deep.equal(['unacknowledged']);
    }
    expect(await alarms.arrive({ 'n/g/x': 95 })).to.equal('unacknowledged');
    expect(alarms.last.stamps.get(0)?.[1]).to.equal(Quality.GOOD);
  });

  it('an alarm that never had a value has the fault of its input', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90)`);
    expect(await alarms.arrive({ 'n/g/x': lost })).to.equal(lost.message);
  });

  it('no data counts errors and doubtful samples, and runs off at the tick', async () => {
    const alarms = (await Alarms.start()).group([`no_data(${x}, 10)`, DataType.BIT]);
    expect(await alarms.tick()).to.deep.equal([0]);
    expect(await alarms.tick(9.9)).to.deep.equal([0]);
    expect(await alarms.tick(0.1)).to.deep.equal([1]);
    expect(await alarms.arrive({ 'n/g/x': 5 })).to.equal(0);
    expect(await alarms.arrive({ 'n/g/x': lost }, 9)).to.equal(0);
    expect(await alarms.arrive({ 'n/g/x': { value: 5, quality: Quality.UNCERTAIN } }, 1)).to.equal(1);
    expect(await alarms.arrive({ 'n/g/x': 5 }, 1)).to.equal(0);
  });

  it('is suppressed by design while its expression is true, and stays as it is while that has no value', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90, suppressed: ${y})`);
    expect(await alarms.arrive({ 'n/g/x': 95, 'n/g/y': true })).to.equal('suppressed');
    expect(await alarms.arrive({ 'n/g/y': lost })).to.equal('suppressed');
    expect(await alarms.arrive({ 'n/g/y': false })).to.equal('unacknowledged');
  });
});

describe('The delays', () => {
  it('run by the times of the samples', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90, on: 5, off: 3)`);
    const at = (seconds: number, value: number): Promise<Value | undefined> =>
      alarms.arrive({ 'n/g/x': { value, time: 1_000_000 + seconds * 1000 } }, 0.01);
    expect(await at(0, 95)).to.equal('normal');
    expect(await at(4.9, 95)).to.equal('normal');
    expect(await at(5, 95)).to.equal('unacknowledged');
    expect(alarms.last.stamps.get(0)?.[0]).to.equal(1_005_000);
    expect(await at(6, 80)).to.equal('unacknowledged');
    expect(await at(8, 95)).to.equal('unacknowledged');
    expect(await at(9, 80)).to.equal('unacknowledged');
    expect(await at(12, 80)).to.equal('returned');
  });

  it('a condition that was there for the delay is an occurrence, though the next sample finds it gone', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90, on: 5)`);
    await alarms.arrive({ 'n/g/x': { value: 95, time: 1_000_000 } }, 0.01);
    expect(await alarms.arrive({ 'n/g/x': { value: 80, time: 1_010_000 } }, 0.01)).to.equal('returned');
  });

  it('run off at the tick by the clock of the gateway, however wrong that of the device is', async () => {
    for (const wrong of [-3_600_000, 3_600_000]) {
      const alarms = (await Alarms.start()).group(`high(${x}, 90, on: 5)`);
      await alarms.arrive({ 'n/g/x': { value: 95, time: alarms.now + wrong } });
      expect(await alarms.tick(4.9)).to.deep.equal(['normal']);
      expect(await alarms.tick(0.2)).to.deep.equal(['unacknowledged']);
    }
  });

  it('go on while the time of the samples stands still', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90, on: 5)`);
    const sample = { value: 95, time: 1_000_000 };
    for (let second = 0; second < 5; second++)
      expect(await alarms.arrive({ 'n/g/x': sample })).to.equal('normal');
    expect(await alarms.arrive({ 'n/g/x': sample })).to.equal('unacknowledged');
  });

  it('stand still while the input is in error', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90, on: 5)`);
    await alarms.arrive({ 'n/g/x': 95 });
    expect(await alarms.arrive({ 'n/g/x': lost }, 3)).to.equal('normal');
    expect(await alarms.tick(60)).to.deep.equal(['normal']);
    expect(await alarms.arrive({ 'n/g/x': 95 })).to.equal('normal');
    expect(await alarms.arrive({ 'n/g/x': 95 }, 1.9)).to.equal('normal');
    expect(await alarms.arrive({ 'n/g/x': 95 }, 0.2)).to.equal('unacknowledged');
  });

  it('a sample that is older than the last one changes nothing', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90)`);
    await alarms.arrive({ 'n/g/x': { value: 80, time: 1_000_000 } });
    expect(await alarms.arrive({ 'n/g/x': { value: 95, time: 999_000 } })).to.equal(undefined);
    expect(await alarms.tick()).to.deep.equal(['normal']);
    expect(await alarms.arrive({ 'n/g/x': { value: 95, time: 1_001_000 } })).to.equal('unacknowledged');
  });

  it('a device whose clock was set back is followed again', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90)`);
    await alarms.arrive({ 'n/g/x': { value: 80, time: 10_000_000 } });
    expect(await alarms.arrive({ 'n/g/x': { value: 95, time: 6_400_000 } })).to.equal('unacknowledged');
  });

  it('go on when the group changes, and begin anew with another address', async () => {
    const alarms = (await Alarms.start()).group(`high(${x}, 90, on: 5)`);
    await alarms.arrive({ 'n/g/x': 95 });
    alarms.group(`high(${x}, 90, on: 5)`, 'alarm("tag1")');
    expect(await alarms.tick(5)).to.deep.equal(['unacknowledged', 'unacknowledged']);
    await alarms.arrive({ 'n/g/x': 80 });
    await alarms.arrive({ 'n/g/x': 95 });
    alarms.group(`high(${x}, 90, off: 4)`);
    expect(await alarms.tick(5)).to.deep.equal(['unacknowledged']);
  });
});
