import { DataType, ErrorCode, isFault } from '@tagway/sdk';
import { expect } from 'chai';
import { pointsOf } from '@tagway/testkit';
import { Command, IndexGroup } from '../src/protocol.ts';
import { variable } from './program.ts';
import { openFixture } from './fixture.ts';
import type { Simulator } from './simulator.ts';

const plc = 0x4020;
const memory = (device: Simulator): Buffer => device.memory.get(plc) as Buffer;
const refused = { fault: ErrorCode.READ_FAILED };
const mismatch = { fault: ErrorCode.TYPE_MISMATCH };

describe('reading', () => {
  it('reads every type by index group and offset, as its bytes lie in the controller', async () => {
    await using fixture = await openFixture((device) => {
      memory(device).set(Buffer.from('01ff80feff0180feffffff01000080', 'hex'), 0);
      memory(device).set(Buffer.from('feffffffffffffff0100000000000080', 'hex'), 32);
      memory(device).set(Buffer.from('0000c03f0000000000000440', 'hex'), 64);
      memory(device).set(Buffer.from('41e480e40042', 'hex'), 96);
    });
    const points = pointsOf(
      ['0x4020,0', DataType.BOOL],
      ['16416,1', DataType.INT8],
      ['0x4020,0x2', DataType.UINT8],
      ['0x4020,3', DataType.INT16],
      ['0x4020,5', DataType.UINT16],
      ['0x4020,7', DataType.INT32],
      ['0x4020,11', DataType.UINT32],
      ['0x4020,32', DataType.INT64],
      ['0x4020,40', DataType.UINT64],
      ['0x4020,64', DataType.FLOAT],
      ['0x4020,68', DataType.DOUBLE],
      ['0x4020,96.6', DataType.STRING],
      ['0x4020,96.2', DataType.STRING],
      ['0x4020,96.3', DataType.BYTES],
    );
    const values = [1, -1, 128, -2, 0x8001, -2, 0x80000001, -2n, (1n << 63n) + 1n, 1.5, 2.5];
    const expected = [...values, 'Aä€ä', 'Aä', Uint8Array.of(0x41, 0xe4, 0x80)];
    expect(await fixture.readings(points)).to.deep.equal(expected);
    expect(await fixture.readings(points, 'test')).to.deep.equal(expected);
    expect(fixture.simulator.requests(Command.READ_WRITE)).to.have.lengthOf(1);
  });

  it('reads variables by their names, resolved once, and gives their handles back', async () => {
    const device = await (async () => {
      await using fixture = await openFixture((one) =>
        one.add(
          variable('MAIN.speed', 'LREAL', '0000000000000440', 'rpm'),
          variable('MAIN.on', 'BOOL', '01'),
          variable('GVL.count[3]', 'UINT', '0180'),
          variable('GVL.title', 'STRING(10)', '48616c6c6f'),
          variable('GVL.wide', 'WSTRING(10)', '3d6bac4e'),
          variable('MAIN.motor', 'ST_Motor', '0102030405'),
        ),
      );
      const points = pointsOf(
        ['MAIN.speed', DataType.DOUBLE],
        ['main.ON', DataType.BOOL],
        ['GVL.count[3]', DataType.UINT16],
        ['GVL.title', DataType.STRING],
        ['GVL.wide', DataType.STRING],
        ['MAIN.motor', DataType.BYTES],
        ['MAIN.speed', DataType.FLOAT],
        ['MAIN.motor', DataType.INT32],
        ['MAIN.absent', DataType.INT16],
      );
      const expected = [2.5, 1, 0x8001, 'Hallo', '欽京', Uint8Array.of(1, 2, 3, 4, 5)];
      const faults = [mismatch, mismatch, refused];
      for (let cycle = 0; cycle < 3; cycle++)
        expect(await fixture.readings(points)).to.deep.equal([...expected, ...faults]);
      expect(await fixture.readings(points, 'test')).to.deep.equal([...expected, ...faults]);
      expect(fixture.simulator.requests(Command.READ_WRITE, IndexGroup.SUM_READ_WRITE)).to.have.lengthOf(1);
      expect(fixture.simulator.requests(Command.READ_WRITE, IndexGroup.SUM_READ)).to.have.lengthOf(3);
      expect(fixture.simulator.handles.size).to.equal(6);
      const texts = (await fixture.read(points)).filter(isFault).map(({ message }) => message);
      expect(texts).to.include(
        'The variable MAIN.speed is LREAL of 8 bytes; a tag of type FLOAT needs a floating-point number of 4 bytes.',
      );
      expect(texts.join('\n')).to.match(/The program of the controller has no variable MAIN\.absent/);
      return fixture.simulator;
    })();
    expect(device.handles.size, 'handles after stop').to.equal(0);
  });

  for (const isReported of [true, false]) {
    it(`resolves names again when the program has changed, which the controller ${isReported ? 'reports' : 'does not report'}`, async () => {
      await using fixture = await openFixture((device) => {
        if (!isReported) device.version = undefined;
        device.add(variable('MAIN.a', 'INT', '0100'), variable('MAIN.b', 'INT', '0200'));
      });
      const points = pointsOf(['MAIN.a', DataType.INT16], ['MAIN.b', DataType.INT16]);
      expect(await fixture.readings(points)).to.deep.equal([1, 2]);
      fixture.simulator.reload(variable('MAIN.b', 'INT', '0400'), variable('MAIN.a', 'INT', '0300'));
      // Without a version the old handles show it, one reading later.
      if (!isReported) expect(await fixture.readings(points)).to.deep.equal([refused, refused]);
      expect(await fixture.readings(points)).to.deep.equal([3, 4]);
    });
  }

  it('finds a variable that a new program has', async () => {
    await using fixture = await openFixture((device) => device.add(variable('MAIN.a', 'INT', '0100')));
    const points = pointsOf(['MAIN.a', DataType.INT16], ['MAIN.late', DataType.INT16]);
    expect(await fixture.readings(points)).to.deep.equal([1, refused]);
    fixture.simulator.add(variable('MAIN.late', 'INT', '0700'));
    expect(await fixture.readings(points), 'too early to ask again').to.deep.equal([1, refused]);
    fixture.record.clockOffset += 11_000;
    expect(await fixture.readings(points)).to.deep.equal([1, 7]);
  });

  for (const at of [0, 2, 4]) {
    it(`has a bad item at place ${at} cost its own tag alone, and remembers it`, async () => {
      await using fixture = await openFixture((device) => {
        for (let i = 0; i < 5; i++) memory(device).writeUInt16LE(100 + i, 2 * i);
        device.errors.set(`${plc},${2 * at}`, 0x704);
      });
      const points = pointsOf(
        ...[0, 2, 4, 6, 8].map((offset) => [`0x4020,${offset}`, DataType.UINT16] as const),
      );
      const expected = [100, 101, 102, 103, 104].map((value, index) => (index === at ? refused : value));
      for (let cycle = 0; cycle < 3; cycle++) expect(await fixture.readings(points)).to.deep.equal(expected);
      const asked = fixture.simulator.requests(Command.READ_WRITE).map((request) => request.readUInt32LE(42));
      expect(asked, 'items of each request').to.deep.equal([5, 4, 4]);
      fixture.simulator.errors.clear();
      fixture.record.clockOffset += 11_000;
      expect(await fixture.readings(points)).to.deep.equal([100, 101, 102, 103, 104]);
    });
  }

  it('asks a busy controller again at once', async () => {
    await using fixture = await openFixture((device) => device.errors.set(`${plc},0`, 0x708));
    const points = pointsOf(['0x4020,0', DataType.INT16]);
    expect(await fixture.readings(points)).to.deep.equal([refused]);
    fixture.simulator.errors.clear();
    expect(await fixture.readings(points)).to.deep.equal([0]);
  });

  for (const sums of ['none', 'all or nothing'] as const) {
    it(`reads from a controller whose sum requests are "${sums}"`, async () => {
      await using fixture = await openFixture((device) => {
        device.sums = sums;
        memory(device).writeInt16LE(-7, 4);
        device.add(variable('MAIN.a', 'INT', '0100'));
      });
      const points = pointsOf(
        ['0x4020,4', DataType.INT16],
        ['0x9999,4', DataType.INT16],
        ['0x4020,8', DataType.INT16],
        ['MAIN.a', DataType.INT16],
        ['MAIN.b', DataType.INT16],
      );
      for (let cycle = 0; cycle < 3; cycle++)
        expect(await fixture.readings(points)).to.deep.equal([-7, refused, 0, 1, refused]);
      // What was refused is left out, so that the others are read together again.
      const singles = fixture.simulator
        .requests(Command.READ)
        .filter((one) => one.readUInt32LE(38) === plc).length;
      expect(singles).to.equal(sums === 'none' ? 6 : 2);
    });
  }

  it('splits at the limits and pipelines the parts', async () => {
    await using fixture = await openFixture((device) => {
      for (let i = 0; i < 2000; i++) memory(device).writeUInt16LE(i, 2 * i);
    });
    const points = pointsOf(
      ...Array.from({ length: 2000 }, (_, i) => [`0x4020,${2 * i}`, DataType.UINT16] as const),
    );
    expect(await fixture.readings(points)).to.deep.equal(Array.from({ length: 2000 }, (_, i) => i));
    const asked = fixture.simulator.requests(Command.READ_WRITE).map((request) => request.readUInt32LE(42));
    expect(asked).to.deep.equal([500, 500, 500, 500]);
  });

  it('has several groups resolve a name to one handle', async () => {
    await using fixture = await openFixture((device) => device.add(variable('MAIN.a', 'INT', '0100')));
    const groups = [1, 2, 3].map(() => pointsOf(['MAIN.a', DataType.INT16]));
    expect(await Promise.all(groups.map((points) => fixture.readings(points)))).to.deep.equal([
      [1],
      [1],
      [1],
    ]);
    expect(fixture.simulator.handles.size).to.equal(1);
  });
});
