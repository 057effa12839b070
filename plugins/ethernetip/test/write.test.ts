import { DataType, ErrorCode } from '@tagway/sdk';
import { pointsOf } from '@tagway/testkit';
import { expect } from 'chai';
import { openFixture } from './fixture.ts';
import { stringType, structure, tag, textType } from './program.ts';

const motor = structure('Motor', { On: 'BOOL', Fault: 'BOOL', Speed: 'REAL', Name: stringType });

describe('writing', () => {
  it('writes every type in one request, and each is confirmed', async () => {
    await using fixture = await openFixture((device) =>
      device.add(
        tag('aSint', 'SINT'),
        tag('anInt', 'INT'),
        tag('aDint', 'DINT', { bytes: '04000000' }),
        tag('aLint', 'LINT'),
        tag('aReal', 'REAL'),
        tag('anLreal', 'LREAL'),
        tag('aBool', 'BOOL'),
        tag('text', textType('STRING_20', 20)),
        tag('motor', motor, { bytes: '02' }),
        tag('bits', 'BOOL[64]'),
        tag('bytes', 'INT[4]'),
      ),
    );
    const points = pointsOf(
      ['aSint', DataType.INT8],
      ['anInt', DataType.UINT16],
      ['aDint.31', DataType.BIT],
      ['aLint', DataType.INT64],
      ['aReal', DataType.FLOAT],
      ['anLreal', DataType.DOUBLE],
      ['aBool', DataType.BOOL],
      ['text', DataType.STRING],
      ['motor.On', DataType.BOOL],
      ['motor.Speed', DataType.FLOAT],
      ['motor.Name', DataType.STRING],
      ['bits[37]', DataType.BOOL],
      ['bytes[1]{2}', DataType.BYTES],
    );
    const values = [
      -3,
      65_000,
      1,
      -(2n ** 60n),
      1.5,
      -2.5e300,
      true,
      'grün',
      true,
      7.5,
      'pump',
      true,
      new Uint8Array([1, 2, 3, 4]),
    ];
    expect(await fixture.written(points, values)).to.deep.equal(points.map(() => undefined));
    const { simulator } = fixture;
    const bytes = (name: string): string => simulator.tag(name).value.toString('hex');
    expect(bytes('aDint')).to.equal('04000080');
    expect(bytes('aBool')).to.equal('01');
    expect(bytes('text')).to.equal(`05000000${Buffer.from('grün').toString('hex')}${'00'.repeat(15)}`);
    expect(bytes('motor').slice(0, 16)).to.equal('030000000000f040');
    expect(bytes('bits')).to.equal('0000000020000000');
    expect(bytes('bytes')).to.equal('0000010203040000');
    expect(
      simulator.frames.filter(
        ({ fromClient, bytes: frame }) => fromClient && frame[0] === 0x70 && frame[46] === 0x0a,
      ),
    ).to.have.lengthOf(1);
    const read = [
      -3,
      65_000,
      1,
      -(2n ** 60n),
      1.5,
      -2.5e300,
      1,
      'grün',
      1,
      7.5,
      'pump',
      1,
      new Uint8Array([1, 2, 3, 4]),
    ];
    expect(await fixture.readings(points)).to.deep.equal(read);
  });

  it('clears a bit and leaves the others, those that the program sets meanwhile included', async () => {
    await using fixture = await openFixture((device) => {
      device.add(tag('word', 'DINT', { bytes: 'ff00ff00' }), tag('bits', 'BOOL[32]', { bytes: 'ffffffff' }));
      device.before = (service) => {
        if (service === 0x4e || service === 0x0a) device.tag('word').value[3] = 0x10;
      };
    });
    const points = pointsOf(['word.2', DataType.BIT], ['bits[9]', DataType.BIT], ['word.12', DataType.BOOL]);
    expect(await fixture.written(points, [0, 0, true])).to.deep.equal([undefined, undefined, undefined]);
    expect(fixture.simulator.tag('word').value.toString('hex')).to.equal('fb10ff10');
    expect(fixture.simulator.tag('bits').value.toString('hex')).to.equal('fffdffff');
  });

  it('refuses by itself what cannot be written, and passes on what the controller says', async () => {
    await using fixture = await openFixture((device) => {
      device.add(
        tag('fixed', 'INT', { access: 2 }),
        tag('locked', 'INT'),
        tag('motor', motor),
        tag('text', textType('T', 4)),
        tag('good', 'INT'),
        tag('few', 'SINT[3]'),
      );
      device.refusals.set('locked', [0x10, 0x2101]);
    });
    const points = pointsOf(
      'fixed',
      'locked',
      ['motor', DataType.BYTES],
      ['text', DataType.STRING],
      'good',
      ['few', DataType.BYTES],
      'absent',
      ['good', DataType.FLOAT],
    );
    const values = [1, 2, new Uint8Array(motor.size), 'fünf5', 5, new Uint8Array(2), 7, 8];
    const faults = await fixture.write(points, values);
    expect(faults[4]).to.equal(undefined);
    expect(faults.map((fault) => fault?.code)).to.deep.equal([
      ...[
        ErrorCode.WRITE_FAILED,
        ErrorCode.WRITE_FAILED,
        ErrorCode.WRITE_FAILED,
        ErrorCode.STRING_TOO_LONG,
        undefined,
      ],
      ...[ErrorCode.VALUE_OUT_OF_RANGE, ErrorCode.READ_FAILED, ErrorCode.TYPE_MISMATCH],
    ]);
    expect(faults[0]?.message).to.equal(
      'The tag fixed is read-only (its external access in the controller): it is not written.',
    );
    expect(faults[1]?.message).to.equal(
      'The controller refused the write: the key switch does not allow it (status 0x10/0x2101).',
    );
    expect(fixture.simulator.tag('good').value.readInt16LE()).to.equal(5);
  });

  it('writes what is larger than a message in parts', async () => {
    await using fixture = await openFixture((device) => device.add(tag('words', 'INT[4000]')), {
      connection_size: 504,
    });
    const value = new Uint8Array(8000).map((_, at) => at % 253);
    expect(await fixture.written(pointsOf(['words', DataType.BYTES]), [value])).to.deep.equal([undefined]);
    expect(Buffer.compare(fixture.simulator.tag('words').value, value)).to.equal(0);
    expect(fixture.simulator.count(0x53)).to.be.above(16);
  });

  it('writes to controllers that list nothing and take one request at a time, whose types it asks for once', async () => {
    await using fixture = await openFixture((device) => {
      Object.assign(device.manners, { lists: false, packets: false, program: false });
      device.add(tag('anInt', 'INT'), tag('aReal', 'REAL'), tag('aBool', 'BOOL'), tag('word', 'DINT'));
    });
    const points = pointsOf(
      'anInt',
      ['aReal', DataType.FLOAT],
      ['aBool', DataType.BOOL],
      ['word.7', DataType.BIT],
      'aReal',
      'none',
    );
    const mismatch = ErrorCode.TYPE_MISMATCH;
    expect(await fixture.written(points, [7, 1.5, true, 1, 3, 4])).to.deep.equal([
      ...new Array<undefined>(4).fill(undefined),
      mismatch,
      ErrorCode.WRITE_FAILED,
    ]);
    const reads = fixture.simulator.count(0x4c);
    expect(await fixture.written(points.slice(0, 2), [8, 2.5])).to.deep.equal([undefined, undefined]);
    expect(fixture.simulator.count(0x4c)).to.equal(reads);
    expect(await fixture.readings(points.slice(0, 4))).to.deep.equal([8, 2.5, 1, 1]);
    expect(fixture.simulator.tag('word').value.readInt32LE()).to.equal(128);
  });

  it('says so when a controller does not write single bits', async () => {
    await using fixture = await openFixture((device) => {
      device.manners.bits = false;
      device.add(tag('word', 'DINT'));
    });
    const [fault] = await fixture.write(pointsOf(['word.7', DataType.BIT]), [1]);
    expect(fault?.message).to.equal(
      'The controller refused the write: the controller does not support the service (status 0x08).',
    );
    expect(fixture.simulator.tag('word').value.readInt32LE()).to.equal(0);
  });
});
