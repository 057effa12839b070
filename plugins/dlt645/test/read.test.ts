import { expect } from 'chai';
import { DataType, ErrorCode, isFault } from '@tagway/sdk';
import { callOf, expectInterval, readings } from '@tagway/testkit';
import { other, own, openFixture, pointsOf } from './fixture.ts';
import { requestOf } from './simulator.ts';

const fault = (code: number): object => ({ fault: code });

describe('reading', function () {
  this.timeout(20_000);

  it('reads the meter of the settings and those that tags name', async () => {
    await using fixture = await openFixture();
    fixture.simulator.meter(own, { '00-01-00-00': '26 00 00 00', '02-01-01-00': '01 10' });
    fixture.simulator.meter(other, { '02-01-01-00': '05 22' });
    const points = pointsOf('00-01-00-00', '161#02-01-01-00', `${other}#02-01-01-00`);
    expect(await readings(fixture.driver, points)).to.deep.equal([26, 1001, 2205]);
    expect(fixture.simulator.takeRequests()).to.deep.equal([
      `${own} 11 00-01-00-00`,
      `${own} 11 02-01-01-00`,
      `${other} 11 02-01-01-00`,
    ]);
  });

  it('takes the meter of the settings as a text, with and without leading zeros', async () => {
    for (const address of [own, '161', 161]) {
      await using fixture = await openFixture({ mail_address: address });
      fixture.simulator.meter(own, { '02-01-01-00': '01 10' });
      expect(await readings(fixture.driver, pointsOf('02-01-01-00'))).to.deep.equal([1001]);
    }
  });

  it('reads every type, with signs and without', async () => {
    await using fixture = await openFixture();
    fixture.simulator.meter(own, {
      '04-00-01-07': '42',
      '02-01-01-00': '05 82',
      '02-02-01-00': '21 43 85',
      '02-03-00-00': '00 00 80',
      '00-00-00-00': '78 56 34 12',
      '04-00-04-01': '61 01 00 00 00 92',
      '04-00-0E-01': '99 99 99 99 99 99 99 99',
      '04-00-0E-02': '99 99 99 99 99 99 99 f9',
    });
    const points = pointsOf(
      ['04-00-01-07', DataType.INT8],
      ['04-00-01-07', DataType.UINT8],
      ['02-01-01-00', DataType.INT16],
      ['02-01-01-00', DataType.UINT16],
      ['02-02-01-00', DataType.INT32],
      ['02-02-01-00', DataType.UINT32],
      ['02-03-00-00', DataType.INT32],
      ['00-00-00-00', DataType.INT64],
      ['04-00-04-01', DataType.UINT64],
      ['04-00-04-01', DataType.INT64],
      ['04-00-0E-01', DataType.UINT64],
      ['04-00-0E-02', DataType.INT64],
      ['04-00-0E-02', DataType.UINT64],
    );
    expect(await readings(fixture.driver, points)).to.deep.equal([
      42,
      42,
      -205,
      8205,
      -54321,
      854321,
      0,
      12345678n,
      920000000161n,
      -120000000161n,
      9999999999999999n,
      -7999999999999999n,
      fault(ErrorCode.DECODE_FAILED),
    ]);
  });

  it('refuses what is no number, and types that are too narrow', async () => {
    await using fixture = await openFixture();
    fixture.simulator.meter(own, {
      '02-01-01-00': 'ff ff',
      '02-01-02-00': '0a 22',
      '02-02-01-00': '21 43 05',
      '02-01-03-00': '',
      '02-01-FF-00': '05 22 06 22 07 22',
      '04-00-01-02': '01 02 03 04 05',
    });
    const points = pointsOf(
      '02-01-01-00',
      ['02-01-01-00', DataType.INT16],
      ['02-01-01-00', DataType.STRING],
      '02-01-02-00',
      ['02-02-01-00', DataType.UINT16],
      '02-01-03-00',
      '04-00-01-02',
      '02-01-FF-00#2',
      '02-01-FF-00#3',
    );
    expect(await readings(fixture.driver, points)).to.deep.equal([
      fault(ErrorCode.DECODE_FAILED),
      fault(ErrorCode.DECODE_FAILED),
      fault(ErrorCode.DECODE_FAILED),
      fault(ErrorCode.DECODE_FAILED),
      fault(ErrorCode.TYPE_MISMATCH),
      fault(ErrorCode.DECODE_FAILED),
      fault(ErrorCode.TYPE_MISMATCH),
      2207,
      fault(ErrorCode.DECODE_FAILED),
    ]);
    expect(fixture.simulator.takeRequests(), 'one request for all parts of a block').to.have.length(6);
    const [narrow, wide] = await fixture.read([points[4]!, points[6]!]);
    expect(isFault(narrow) && narrow.message).to.match(/3 bytes .*UINT16.*needs INT32, UINT32/);
    expect(isFault(wide) && wide.message).to.match(/5 bytes .*UINT32.*needs INT64, UINT64/);
  });

  it('reads demands, their times, frozen blocks, words of status and texts', async () => {
    await using fixture = await openFixture();
    fixture.simulator.meter(own, {
      // 1.2345 kW at 13:45 on 31 May 2024: the minute is sent first.
      '01-01-00-00': '45 23 01 45 13 31 05 24',
      '01-02-00-00': '00 00 00 00 00 00 00 00',
      '05-06-00-01': '59 23 30 06 24',
      '05-06-01-01': '01 00 00 00 02 00 00 00 03 00 00 00',
      '05-06-09-01': '11 00 00 00 01 01 01 24 22 00 00 30 02 02 02 24',
      '10-01-00-01': '07 30 12 31 12 23',
      '04-00-05-01': '34 92',
      '04-00-06-01': 'e0',
      '04-00-04-0B': Buffer.from('ABC-1     ').reverse().toString('hex'),
      '04-00-04-01': '11 30 00 20 02 21',
    });
    const points = pointsOf(
      '01-01-00-00',
      ['01-01-00-00#T', DataType.STRING],
      ['01-02-00-00#T', DataType.STRING],
      ['05-06-00-01#T', DataType.STRING],
      '05-06-01-01',
      '05-06-01-01#02',
      '05-06-09-01#1',
      ['05-06-09-01#1#T', DataType.STRING],
      ['10-01-00-01#T', DataType.STRING],
      ['04-00-05-01', DataType.UINT16],
      ['04-00-05-01', DataType.INT16],
      ['04-00-05-01', DataType.STRING],
      ['04-00-06-01', DataType.UINT8],
      ['04-00-04-0b', DataType.STRING],
      ['04-00-04-01', DataType.STRING],
      ['04-00-05-01#T', DataType.STRING],
    );
    expect(await readings(fixture.driver, points)).to.deep.equal([
      12345,
      '2024-05-31 13:45',
      '',
      '2024-06-30 23:59',
      1,
      3,
      22,
      '2024-02-02 02:30',
      '2023-12-31 12:30:07',
      0x9234,
      0x9234 - 0x1_0000,
      '9234',
      0xe0,
      'ABC-1',
      '210220003011',
      fault(ErrorCode.DECODE_FAILED),
    ]);
  });

  it('takes no time that no calendar or clock shows', async () => {
    await using fixture = await openFixture();
    const demand = (time: string): string => `45 23 01 ${time}`;
    fixture.simulator.meter(own, {
      // 31 February, 29 February 2023, 13th month, 24 o'clock, minute 60, second 60, no day.
      '01-01-00-00': demand('45 13 31 02 24'),
      '01-02-00-00': demand('45 13 29 02 23'),
      '01-03-00-00': demand('45 13 01 13 23'),
      '01-04-00-00': demand('00 24 01 01 23'),
      '01-05-00-00': demand('60 13 01 01 23'),
      '10-01-00-01': '60 30 12 31 12 23',
      '01-06-00-00': demand('45 13 00 01 23'),
      '01-07-00-00': demand('59 23 29 02 24'),
    });
    const times = Array.from({ length: 7 }, (_, at) => `01-0${at + 1}-00-00#T`);
    const all = [...times.slice(0, 5), '10-01-00-01#T', ...times.slice(5)];
    const points = pointsOf(...all.map((address) => [address, DataType.STRING] as const), '01-01-00-00');
    expect(await readings(fixture.driver, points)).to.deep.equal([
      ...Array.from({ length: 7 }, () => fault(ErrorCode.DECODE_FAILED)),
      '2024-02-29 23:59',
      12345,
    ]);
  });

  it('takes the plain address for the first part of a block and counts the others from it', async () => {
    await using fixture = await openFixture();
    fixture.simulator.meter(own, {
      // Forward active energy at a freeze: total, tariffs 1 and 2.
      '05-00-01-01': '11 00 00 00 22 00 00 00 33 00 00 00',
      // Active power total and of the phases, then reactive power: -0.0008 kvar of phase C.
      '05-00-10-01': '01 00 00 02 00 00 03 00 00 04 00 00 05 00 00 06 00 00 07 00 00 08 00 80',
      '05-00-09-01': '11 00 00 00 01 01 01 24 22 00 00 30 02 02 02 24',
      '02-01-FF-00': '05 22 06 22 07 22',
      '01-01-FF-00': '45 23 01 45 13 31 05 24 00 00 00 00 00 00 00 00',
      '04-00-05-FF': '34 92 00 01',
      '02-02-01-00': '21 43 05 10',
    });
    const points = pointsOf(
      '05-00-01-01',
      '05-00-01-01#0',
      '05-00-01-01#1',
      '05-00-01-01#02',
      ['05-00-10-01', DataType.INT32],
      ['05-00-10-01#7', DataType.INT32],
      '05-00-09-01',
      ['05-00-09-01#T', DataType.STRING],
      ['05-00-09-01#01#T', DataType.STRING],
      ['02-01-FF-00', DataType.UINT16],
      ['02-01-FF-00', DataType.STRING],
      ['02-01-FF-00#2', DataType.UINT16],
      ['01-01-FF-00#T', DataType.STRING],
      ['04-00-05-FF', DataType.UINT16],
      ['04-00-05-FF#1', DataType.UINT16],
      '02-02-01-00',
    );
    expect(await readings(fixture.driver, points)).to.deep.equal([
      11,
      11,
      22,
      33,
      1,
      -8,
      11,
      '2024-01-01 01:00',
      '2024-02-02 02:30',
      2205,
      '2205',
      2207,
      '2024-05-31 13:45',
      0x9234,
      0x0100,
      // One item that is longer than the standard has it is no block.
      10054321,
    ]);
  });

  it('asks for what is left of a long item, frame after frame', async () => {
    await using fixture = await openFixture();
    const { simulator } = fixture;
    simulator.most = 4;
    simulator.meter(own, { '05-06-01-01': '01 00 00 00 02 00 00 00 03 00 00' + ' 10 05' });
    expect(await readings(fixture.driver, pointsOf('05-06-01-01', '05-06-01-01#2'))).to.deep.equal([
      1, 10000003,
    ]);
    expect(simulator.takeRequests()).to.deep.equal([
      `${own} 11 05-06-01-01`,
      `${own} 12 05-06-01-01 1`,
      `${own} 12 05-06-01-01 2`,
      `${own} 12 05-06-01-01 3`,
    ]);
  });

  it('gives up an item that never ends', async () => {
    await using fixture = await openFixture();
    const { simulator } = fixture;
    simulator.script = (frame) => {
      const { identifier, sequence } = requestOf(frame);
      const more = sequence === undefined ? 0xb1 : 0xb2;
      const tail = sequence === undefined ? [] : [sequence];
      return [simulator.frame(own, more, Buffer.concat([identifier, Buffer.alloc(100), Buffer.from(tail)]))];
    };
    expect(await readings(fixture.driver, pointsOf('05-06-01-01'))).to.deep.equal([
      fault(ErrorCode.DECODE_FAILED),
    ]);
    expect(simulator.requests).to.have.length(256);
  });

  it('remembers what a meter refuses, and asks again later', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    simulator.meter(own, { '02-01-01-00': '05 22', '02-01-03-00': '07 22' });
    const points = pointsOf('02-01-01-00', '02-01-02-00', '02-01-03-00');
    for (let round = 0; round < 3; round++)
      expect(await readings(driver, points)).to.deep.equal([2205, fault(ErrorCode.READ_FAILED), 2207]);
    expect(simulator.takeRequests()).to.have.length(7);
    simulator.meter(own, { '02-01-02-00': '06 22' });
    expect(await readings(driver, points, callOf('test')), 'a test read asks').to.deep.equal([
      2205, 2206, 2207,
    ]);
    expect((await readings(driver, points))[1], 'and changes nothing').to.deep.equal(
      fault(ErrorCode.READ_FAILED),
    );
    record.clockOffset += 11_000;
    expect(await readings(driver, points)).to.deep.equal([2205, 2206, 2207]);
  });

  it('does not let a dead meter slow the others, and finds it when it is back', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    simulator.meter(own, { '02-01-01-00': '05 22' });
    const dead = Array.from({ length: 10 }, (_, index) => `${other}#02-01-01-0${index}`);
    const points = pointsOf(...dead, '02-01-01-00');
    for (let round = 0; round < 6; round++) {
      const values = await readings(driver, points);
      expect(values.slice(0, 10)).to.deep.equal(dead.map(() => fault(ErrorCode.NO_RESPONSE)));
      expect(values[10]).to.equal(2205);
    }
    const asked = simulator.takeRequests().filter((request) => request.startsWith(other));
    expect(asked, 'two in the first round, one in the second, then none').to.have.length(3);
    simulator.meter(other, { '02-01-01-02': '02 22', '02-01-01-03': '03 22' });
    record.clockOffset += 6000;
    const [, , , fourth] = await readings(driver, points);
    expect(fourth).to.equal(2203);
    expect(simulator.connections).to.equal(1);
  });

  it('lets an item that a meter ignores cost its own tag alone', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    simulator.meter(own, { '02-01-01-00': '05 22', '02-01-02-00': '06 22' });
    simulator.script = (frame, usual) => (requestOf(frame).item === '09-09-09-09' ? [] : [usual()]);
    const points = pointsOf('09-09-09-09', '02-01-01-00', '02-01-02-00');
    for (let round = 0; round < 5; round++)
      expect(await readings(driver, points)).to.deep.equal([fault(ErrorCode.NO_RESPONSE), 2205, 2206]);
    expect(simulator.takeRequests().filter((request) => request.endsWith('09-09-09-09'))).to.have.length(2);
  });

  it('sends again what was not answered', async () => {
    await using fixture = await openFixture({ max_retries: 2 });
    const { simulator, driver } = fixture;
    simulator.meter(own, { '02-01-01-00': '05 22' });
    let count = 0;
    simulator.script = (_frame, usual) => (++count % 3 === 0 ? [usual()] : []);
    expect(await readings(driver, pointsOf('02-01-01-00'))).to.deep.equal([2205]);
    expect(simulator.takeRequests()).to.have.length(3);
  });

  it('keeps the interval between two requests', async () => {
    await using fixture = await openFixture({ interval: 60 });
    const { simulator, driver } = fixture;
    simulator.meter(own, { '02-01-01-00': '05 22', '02-01-02-00': '05 22', '02-01-03-00': '05 22' });
    await expectInterval(simulator, 60, () =>
      readings(driver, pointsOf('02-01-01-00', '02-01-02-00', '02-01-03-00')),
    );
  });
});
