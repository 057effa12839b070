import { DataType, ErrorCode, type Value } from '@tagway/sdk';
import { expect } from 'chai';
import { pointsOf } from '@tagway/testkit';
import { AdsError } from '../src/faults.ts';
import { Command } from '../src/protocol.ts';
import { variable } from './program.ts';
import { openFixture } from './fixture.ts';

const plc = 0x4020;

describe('writing', () => {
  it('writes every type in one request, as the controller keeps it', async () => {
    await using fixture = await openFixture();
    const cases: readonly (readonly [address: string, DataType, Value, bytes: string])[] = [
      ['0x4020,0', DataType.BOOL, true, '01'],
      ['0x4020,1', DataType.INT8, -2, 'fe'],
      ['0x4020,2', DataType.UINT8, 200, 'c8'],
      ['0x4020,3', DataType.INT16, -2, 'feff'],
      ['0x4020,5', DataType.UINT16, 0x8001, '0180'],
      ['0x4020,7', DataType.INT32, -0x8000_0000, '00000080'],
      ['0x4020,11', DataType.UINT32, 0xfffe_0001, '0100feff'],
      ['0x4020,15', DataType.INT64, -(1n << 60n), '00000000000000f0'],
      ['0x4020,23', DataType.UINT64, (1n << 64n) - 2n, 'feffffffffffffff'],
      ['0x4020,31', DataType.FLOAT, 1.5, '0000c03f'],
      ['0x4020,35', DataType.DOUBLE, 2.5, '0000000000000440'],
      ['0x4020,43.4', DataType.STRING, 'ä€', 'e48000'],
      ['0x4020,47.4', DataType.STRING, 'full', '66756c6c'],
      ['0x4020,51.2', DataType.BYTES, Uint8Array.of(1, 2), '0102'],
    ];
    const points = pointsOf(...cases.map(([address, type]) => [address, type] as const));
    expect(
      await fixture.written(
        points,
        cases.map(([, , value]) => value),
      ),
    ).to.deep.equal(cases.map(() => undefined));
    const memory = fixture.simulator.memory.get(plc) as Buffer;
    for (const [address, , , bytes] of cases) {
      const at = Number(/,(\d+)/.exec(address)?.[1]);
      expect(memory.subarray(at, at + bytes.length / 2).toString('hex'), address).to.equal(bytes);
    }
    expect(fixture.simulator.requests(Command.READ_WRITE)).to.have.lengthOf(1);
  });

  it('refuses values that do not fit before anything is sent', async () => {
    await using fixture = await openFixture((device) => device.add(variable('MAIN.text', 'STRING(4)', '')));
    const cases: readonly (readonly [address: string, DataType, Value, code: number])[] = [
      ['0x4020,0', DataType.INT8, 128, ErrorCode.VALUE_OUT_OF_RANGE],
      ['0x4020,0', DataType.UINT16, -1, ErrorCode.VALUE_OUT_OF_RANGE],
      ['0x4020,0', DataType.UINT64, 1n << 64n, ErrorCode.VALUE_OUT_OF_RANGE],
      ['0x4020,0', DataType.INT16, NaN, ErrorCode.TYPE_MISMATCH],
      ['0x4020,0', DataType.INT16, 1.5, ErrorCode.TYPE_MISMATCH],
      ['0x4020,0', DataType.INT64, 1, ErrorCode.TYPE_MISMATCH],
      ['0x4020,0', DataType.BOOL, 1, ErrorCode.TYPE_MISMATCH],
      ['0x4020,0', DataType.FLOAT, 1e39, ErrorCode.VALUE_OUT_OF_RANGE],
      ['0x4020,0', DataType.DOUBLE, NaN, ErrorCode.VALUE_OUT_OF_RANGE],
      ['0x4020,0.4', DataType.STRING, 'fives', ErrorCode.STRING_TOO_LONG],
      ['0x4020,0.4', DataType.STRING, '京', ErrorCode.VALUE_OUT_OF_RANGE],
      ['0x4020,0.4', DataType.BYTES, Uint8Array.of(1), ErrorCode.VALUE_OUT_OF_RANGE],
      ['MAIN.text', DataType.STRING, 'fives', ErrorCode.STRING_TOO_LONG],
    ];
    const points = pointsOf(...cases.map(([address, type]) => [address, type] as const));
    const results = await fixture.written(
      points,
      cases.map(([, , value]) => value),
    );
    expect(results).to.deep.equal(cases.map(([, , , code]) => code));
    expect(fixture.simulator.requests(Command.WRITE)).to.deep.equal([]);
    expect((fixture.simulator.memory.get(plc) as Buffer).every((byte) => byte === 0)).to.equal(true);
  });

  it('writes variables by name, texts with their end, and says of each what became of it', async () => {
    const speed = variable('MAIN.speed', 'LREAL', '');
    const text = variable('MAIN.text', 'STRING(4)', '7878787878');
    const wide = variable('MAIN.wide', 'WSTRING(4)', '');
    await using fixture = await openFixture((device) => {
      device.add(speed, text, wide);
      device.errors.set(`${plc},100`, 0x704);
    });
    const points = pointsOf(
      ['MAIN.speed', DataType.DOUBLE],
      ['0x4020,100', DataType.INT16],
      ['MAIN.text', DataType.STRING],
      ['MAIN.absent', DataType.INT16],
      ['MAIN.wide', DataType.STRING],
      ['MAIN.speed', DataType.INT16],
    );
    expect(await fixture.written(points, [2.5, 1, 'four', 1, '京', 1])).to.deep.equal([
      ...[
        undefined,
        ErrorCode.WRITE_FAILED,
        undefined,
        ErrorCode.READ_FAILED,
        undefined,
        ErrorCode.TYPE_MISMATCH,
      ],
    ]);
    expect(speed.value.readDoubleLE()).to.equal(2.5);
    expect(text.value.toString('hex')).to.equal('666f757200');
    expect(wide.value.toString('hex', 0, 4)).to.equal('ac4e0000');
  });

  it('never writes with the handle of an old program', async () => {
    const old = variable('MAIN.a', 'INT', '0100');
    const other = variable('MAIN.b', 'INT', '0200');
    await using fixture = await openFixture((device) => device.add(old));
    const points = pointsOf(['MAIN.a', DataType.INT16]);
    expect(await fixture.readings(points)).to.deep.equal([1]);
    const moved = variable('MAIN.a', 'INT', '0500');
    fixture.simulator.reload(other, moved);
    expect(await fixture.written(points, [9])).to.deep.equal([undefined]);
    expect([old, other, moved].map(({ value }) => value.readInt16LE())).to.deep.equal([1, 2, 9]);
  });

  for (const sums of ['none', 'all or nothing'] as const) {
    it(`writes in order to a controller whose sum requests are "${sums}"`, async () => {
      await using fixture = await openFixture((device) => {
        device.sums = sums;
        device.errors.set(`${plc},2`, AdsError.INVALID_OFFSET);
      });
      const points = pointsOf(
        ['0x4020,0', DataType.INT16],
        ['0x4020,2', DataType.INT16],
        ['0x4020,4', DataType.INT16],
        ['0x4020,0', DataType.INT16],
      );
      expect(await fixture.written(points, [1, 2, 3, 4])).to.deep.equal([
        undefined,
        ErrorCode.WRITE_FAILED,
        undefined,
        undefined,
      ]);
      const memory = fixture.simulator.memory.get(plc) as Buffer;
      expect([0, 2, 4].map((at) => memory.readInt16LE(at))).to.deep.equal([4, 0, 3]);
    });
  }
});
