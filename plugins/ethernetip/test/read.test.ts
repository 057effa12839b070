import { DataType, ErrorCode } from '@tagway/sdk';
import { pointsOf } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture } from './fixture.ts';
import { stringType, structure, tag, textType, timerType } from './program.ts';

const motor = structure('Motor', {
  On: 'BOOL',
  Fault: 'BOOL',
  Speed: 'REAL',
  Counts: 'INT[12]',
  Flags: 'DINT',
});
const cell = structure('Cell', { Motors: [motor, 3], Name: stringType, Bits: 'BOOL[64]', T: timerType });

describe('reading', () => {
  it('reads every type, from given bytes', async () => {
    await using fixture = await openFixture((device) =>
      device.add(
        tag('aSint', 'SINT', { bytes: 'fe' }),
        tag('anInt', 'INT', { bytes: 'feff' }),
        tag('aDint', 'DINT', { bytes: '0f000080' }),
        tag('aLint', 'LINT', { bytes: 'feffffffffffffff' }),
        tag('aReal', 'REAL', { bytes: '0000c03f' }),
        tag('anLreal', 'LREAL', { bytes: '0000000000000440' }),
        tag('aBool', 'BOOL', { bytes: 'ff' }),
        tag('aText', stringType, { bytes: '0500000048616c6c6f' }),
        tag('aShort', textType('STRING_20', 20), { bytes: '02000000c3bc' }),
        tag('bits', 'BOOL[64]', { bytes: '0000000020000000' }),
        tag('bytes', 'SINT[5]', { bytes: '0102030405' }),
      ),
    );
    const points = pointsOf(
      ['aSint', DataType.INT8],
      ['aSint', DataType.UINT8],
      ['anInt', DataType.INT16],
      ['anInt', DataType.UINT16],
      ['aDint', DataType.INT32],
      ['aDint', DataType.UINT32],
      ['aLint', DataType.INT64],
      ['aLint', DataType.UINT64],
      ['aReal', DataType.FLOAT],
      ['anLreal', DataType.DOUBLE],
      ['aBool', DataType.BOOL],
      ['aBool', DataType.BIT],
      ['aDint.31', DataType.BIT],
      ['aDint.4', DataType.BOOL],
      ['ATEXT', DataType.STRING],
      ['aShort', DataType.STRING],
      ['bits[37]', DataType.BOOL],
      ['bits[36]', DataType.BIT],
      ['bytes', DataType.BYTES],
      ['bytes[1]{2}', DataType.BYTES],
    );
    expect(await fixture.readings(points)).to.deep.equal([
      ...[-2, 254, -2, 65_534, -2_147_483_633, 2_147_483_663, -2n, 2n ** 64n - 2n, 1.5, 2.5, 1, 1, 1, 0],
      ...['Hallo', 'ü', 1, 0, new Uint8Array([1, 2, 3, 4, 5]), new Uint8Array([2, 3])],
    ]);
  });

  it('reads members, elements and bits at any depth, in programs too', async () => {
    await using fixture = await openFixture((device) => {
      device.add(tag('Cells', cell, { dimensions: [2, 2] }), tag('Grid', 'INT[3,4]'));
      device.addTo('Main', tag('Cell', cell));
      const { value } = device.tag('Cells');
      const { value: own } = device.tag('Cell', 'Main');
      const offset = (name: string): number => cell.members.find((one) => one.name === name)!.offset;
      // Cells[1,0].Motors[2]
      const at = 2 * cell.size + 2 * motor.size;
      value[at] = 2;
      value.writeFloatLE(7.5, at + 4);
      value.writeInt16LE(-9, at + 8 + 2 * 11);
      value.writeUInt32LE(1 << 9, at + 32);
      value.write('\x03\0\0\0one', 2 * cell.size + offset('Name'));
      value[2 * cell.size + offset('Bits') + 7] = 0x80;
      own.writeInt32LE(1234, offset('T') + 8);
      own[offset('T') + 3] = 0x20;
      device.tag('Grid').value.writeInt16LE(55, 2 * (1 * 4 + 3));
    });
    const points = pointsOf(
      ['Cells[1,0].Motors[2].On', DataType.BOOL],
      ['Cells[1,0].Motors[2].Fault', DataType.BOOL],
      ['Cells[1,0].Motors[2].Speed', DataType.FLOAT],
      ['Cells[1,0].Motors[2].Counts[11]', DataType.INT16],
      ['Cells[1,0].Motors[2].Flags.9', DataType.BIT],
      ['Cells[1,0].Name', DataType.STRING],
      ['Cells[1,0].Name.LEN', DataType.INT32],
      ['Cells[1,0].Bits[63]', DataType.BOOL],
      ['program:main.Cell.T.ACC', DataType.INT32],
      ['Program:Main.Cell.T.DN', DataType.BOOL],
      ['Program:Main.Cell.T.EN', DataType.BOOL],
      ['Grid[1,3]', DataType.INT16],
    );
    expect(await fixture.readings(points)).to.deep.equal([0, 1, 7.5, -9, 1, 'one', 3, 1, 1234, 1, 0, 55]);
    expect(await fixture.readings(points, 'test')).to.deep.equal([
      0,
      1,
      7.5,
      -9,
      1,
      'one',
      3,
      1,
      1234,
      1,
      0,
      55,
    ]);
  });

  it('leaves what is bad to its own tag', async () => {
    await using fixture = await openFixture((device) => {
      device.add(
        tag('good', 'INT', { bytes: '0700' }),
        tag('closed', 'INT'),
        tag('real', 'REAL'),
        tag('few', 'INT[3]'),
      );
      device.refusals.set('closed', [0x0f]);
    });
    const points = pointsOf(
      'good',
      'absent',
      'closed',
      'real',
      'few[3]',
      'few',
      'good.x',
      'good[1]',
      'Program:No.good',
    );
    const values = await fixture.read(points);
    expect(values[0]).to.equal(7);
    const faults = values.slice(1).map((value) => (value as Error).message);
    expect(faults).to.deep.equal([
      'The controller has no tag absent. Check its spelling; a tag of a program is named Program:NAME.TAG.',
      'The controller refused the read: the privilege is missing: the tag may be read-only or a constant, or the access from outside is switched off (status 0x0F).',
      'real is of type REAL in the controller; a tag of type INT16 needs an integer of 2 bytes.',
      'few[3] is beyond the end: the array has elements 0 to 2.',
      'few is an array of INT: name one of its elements, from few[0] on.',
      'good is of type INT, which has no members such as x.',
      'good[1] has an index, and good is no array: it is of type INT.',
      'The controller refused the read: there is no such tag or member (status 0x04).',
    ]);
    expect((values[3] as { code: number }).code).to.equal(ErrorCode.TYPE_MISMATCH);
  });
});
