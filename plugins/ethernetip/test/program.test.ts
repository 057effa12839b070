import { DataType, ErrorCode } from '@tagway/sdk';
import { pointsOf } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture } from './fixture.ts';
import { structure, tag } from './program.ts';

describe('a program that changes', () => {
  it('is noticed in the same cycle: no value of another tag is ever taken', async () => {
    await using fixture = await openFixture((device) =>
      device.add(
        tag('TemperatureOfOven', 'DINT', { bytes: '01' }),
        tag('PressureOfOven', 'DINT', { bytes: '02' }),
      ),
    );
    const points = pointsOf(['TemperatureOfOven', DataType.INT32], ['PressureOfOven', DataType.INT32]);
    expect(await fixture.readings(points)).to.deep.equal([1, 2]);
    expect(fixture.simulator.requests.some((request) => request[0] === 0x4c && request[2] === 0x20)).to.equal(
      true,
    );
    const { instance } = fixture.simulator.tag('TemperatureOfOven');
    fixture.simulator.download(
      tag('PressureOfOven', 'DINT', { bytes: '14' }),
      tag('TemperatureOfOven', 'DINT', { bytes: '0a' }),
    );
    // The number of one tag is now that of the other.
    fixture.simulator.store.renumber('PressureOfOven', instance);
    expect(await fixture.readings(points)).to.deep.equal([10, 20]);
    fixture.simulator.download(tag('PressureOfOven', 'REAL', { bytes: '0000c03f' }));
    expect(await fixture.readings(points)).to.deep.equal([
      { fault: ErrorCode.READ_FAILED },
      { fault: ErrorCode.TYPE_MISMATCH },
    ]);
  });

  it('is noticed when it changes between the values and the look at it', async () => {
    await using fixture = await openFixture((device) => device.add(tag('Level', 'DINT', { bytes: '01' })));
    const points = pointsOf(['Level', DataType.INT32]);
    expect(await fixture.readings(points)).to.deep.equal([1]);
    let looks = 0;
    fixture.simulator.before = (service) => {
      if (service === 0x03 && looks++ === 0)
        fixture.simulator.download(tag('Level', 'DINT', { bytes: '02' }));
    };
    expect(await fixture.readings(points)).to.deep.equal([2]);
  });

  it('that changes all the time gives no values', async () => {
    await using fixture = await openFixture((device) => device.add(tag('Level', 'DINT', { bytes: '01' })));
    const points = pointsOf(['Level', DataType.INT32]);
    expect(await fixture.readings(points)).to.deep.equal([1]);
    fixture.simulator.before = (service) => {
      if (service === 0x03) fixture.simulator.download(tag('Level', 'DINT', { bytes: '02' }));
    };
    expect(await fixture.readings(points)).to.deep.equal([{ fault: ErrorCode.NOT_READY }]);
    fixture.simulator.before = () => undefined;
    expect(await fixture.readings(points)).to.deep.equal([2]);
  });

  it('does not get what was meant for the one before: types and bits are looked at again', async () => {
    const pair = structure('Pair', { A: 'INT', B: 'INT' });
    await using fixture = await openFixture((device) =>
      device.add(tag('Setpoint', 'DINT'), tag('Word', 'DINT'), tag('Bits', 'BOOL[64]'), tag('Pair', pair)),
    );
    const points = pointsOf(
      ['Setpoint', DataType.INT32],
      ['Word.3', DataType.BIT],
      ['Bits[33]', DataType.BIT],
      ['Pair.B', DataType.INT16],
    );
    expect(await fixture.written(points, [1, 1, 1, 1])).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const wide = structure('Pair', { New: 'DINT', A: 'INT', B: 'INT' });
    fixture.simulator.download(
      tag('Setpoint', 'REAL'),
      tag('Word', 'REAL'),
      tag('Bits', 'DINT[64]'),
      tag('Pair', wide),
    );
    const mismatch = ErrorCode.TYPE_MISMATCH;
    expect(await fixture.written(points, [2, 1, 1, 7])).to.deep.equal([
      mismatch,
      mismatch,
      mismatch,
      undefined,
    ]);
    expect(fixture.simulator.tag('Bits').value.every((byte) => byte === 0)).to.equal(true);
    expect(fixture.simulator.tag('Pair').value.toString('hex')).to.equal('0000000000000700');
  });

  it('reads aliases by their names, and everything where numbers are not understood', async () => {
    await using fixture = await openFixture((device) =>
      device.add(
        tag('NameOfAnother', 'DINT', { bytes: '01', isAlias: true }),
        tag('TemperatureOfOven', 'DINT', { bytes: '02' }),
      ),
    );
    const points = pointsOf(['NameOfAnother', DataType.INT32], ['TemperatureOfOven', DataType.INT32]);
    expect(await fixture.readings(points)).to.deep.equal([1, 2]);
    const alias = fixture.simulator.requests.filter(([service]) => service === 0x4c);
    expect(alias.map((request) => request[2])).to.have.members([0x20, 0x91]);
    fixture.simulator.store.byNumber = false;
    expect(await fixture.readings(points)).to.deep.equal([1, 2]);
    const before = fixture.simulator.requests.length;
    expect(await fixture.readings(points)).to.deep.equal([1, 2]);
    expect(fixture.simulator.requests.slice(before).map((request) => request[2])).to.deep.equal([
      0x91, 0x91, 0x20,
    ]);
  });

  for (const manners of [{ program: false }, { access: false }, { lists: false, program: false }] as const)
    it(`reads by names alone from a controller with ${JSON.stringify(manners)}`, async () => {
      const pair = structure('Pair', { A: 'INT', On: 'BOOL', B: 'INT' });
      await using fixture = await openFixture((device) => {
        Object.assign(device.manners, manners);
        device.add(
          tag('Level', 'DINT', { bytes: '01' }),
          tag('LongNameOfAPair', pair, { bytes: '0500010006000000' }),
          tag('Few', 'INT[3]', { bytes: '010002000300' }),
        );
      });
      const points = pointsOf(
        ['Level', DataType.INT32],
        'LongNameOfAPair.A',
        ['LongNameOfAPair.On', DataType.BOOL],
        'Few[0]',
        'Few[1]',
        'Few[2]',
        'Few[3]',
        'None',
        ['Level', DataType.FLOAT],
        ['Few{2}', DataType.BYTES],
        ['Few[1]{2}', DataType.BYTES],
        ['Level.1', DataType.BIT],
      );
      const failed = { fault: ErrorCode.READ_FAILED };
      const expected = [
        1,
        5,
        1,
        1,
        2,
        3,
        failed,
        failed,
        { fault: ErrorCode.TYPE_MISMATCH },
        new Uint8Array([1, 0, 2, 0]),
        new Uint8Array([2, 0, 3, 0]),
        0,
      ];
      expect(await fixture.readings(points)).to.deep.equal(expected);
      expect(await fixture.readings(points)).to.deep.equal(expected);
      const byNumber = fixture.simulator.requests.filter(
        (request) => request[0] === 0x4c && request[2] === 0x20 && request[3] === 0x6b,
      );
      expect(byNumber).to.have.lengthOf(0);
    });
});
