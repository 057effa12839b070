import { expect } from 'chai';
import { DataType, type Value } from '@tagway/sdk';
import { pointsOf, writesOf, written } from '@tagway/testkit';
import { exception } from './device.ts';
import { openFixture, type Fixture } from './fixture.ts';

function write(
  fixture: Fixture,
  tags: readonly (readonly [string, DataType, Value])[],
): Promise<(number | undefined)[]> {
  return written(fixture.driver, writesOf(...tags));
}

describe('writing', () => {
  it('uses function 05 for a coil, 06 for a register, 10 for a longer value', async () => {
    await using fixture = await openFixture();
    const { device } = fixture;
    expect(
      await write(fixture, [
        ['1!000002', DataType.BIT, 1],
        ['1!400011', DataType.INT16, -2],
        ['1!400021', DataType.FLOAT, 1.5],
      ]),
    ).to.deep.equal([undefined, undefined, undefined]);
    expect(device.asked().map((request) => request.split(' ')[0])).to.deep.equal(['1/5', '1/6', '1/16']);
    expect([
      device.memory.coils[1],
      device.memory.registers[10],
      device.memory.registers[20],
      device.memory.registers[21],
    ]).to.deep.equal([1, 0xfffe, 0x3fc0, 0]);
  });

  it('merges neighbours into functions 0F and 10, within the limits and without gaps', async () => {
    await using fixture = await openFixture();
    const { device } = fixture;
    const registers = Array.from({ length: 300 }, (_, i) => [`1!4${i + 1}`, DataType.UINT16, i + 7] as const);
    expect((await write(fixture, registers)).every((code) => code === undefined)).to.equal(true);
    expect(device.asked()).to.deep.equal(['1/16 0+123', '1/16 123+123', '1/16 246+54']);
    expect([...device.memory.registers.subarray(0, 300)]).to.deep.equal(
      registers.map(([, , value]) => value),
    );

    const coils = Array.from({ length: 2000 }, (_, i) => [`1!0${i + 1}`, DataType.BIT, i % 2] as const);
    await write(fixture, coils);
    expect(device.asked()).to.deep.equal(['1/15 0+1968', '1/15 1968+32']);
    expect([...device.memory.coils.subarray(0, 2000)]).to.deep.equal(coils.map(([, , value]) => value));

    await write(fixture, [
      ['1!400001', DataType.INT16, 1],
      ['1!400003', DataType.INT16, 3],
    ]);
    expect(device.asked(), 'the register between them belongs to nobody').to.deep.equal([
      '1/6 0+1',
      '1/6 2+3',
    ]);
  });

  it('merges neighbours in descending order too, and keeps the order of what touches one place twice', async () => {
    await using fixture = await openFixture();
    const { device } = fixture;
    await write(fixture, [
      ['1!400003', DataType.INT16, 3],
      ['1!400002', DataType.INT16, 2],
      ['1!400001', DataType.INT16, 1],
    ]);
    expect(device.asked()).to.deep.equal(['1/16 0+3']);
    expect([...device.memory.registers.subarray(0, 3)]).to.deep.equal([1, 2, 3]);
    await write(fixture, [
      ['1!400001', DataType.INT16, 10],
      ['1!400002', DataType.INT16, 20],
      ['1!400001', DataType.INT16, 30],
    ]);
    expect([...device.memory.registers.subarray(0, 2)]).to.deep.equal([30, 20]);
  });

  it('reads back what it wrote, for every type and byte order', async () => {
    await using fixture = await openFixture({ endianess: 3, endianess_64: 5 });
    const tags: (readonly [string, DataType, Value])[] = [
      ['1!400001#B', DataType.INT16, -300],
      ['1!400002', DataType.UINT16, 65_535],
      ['1!400003', DataType.INT32, -123_456_789],
      ['1!400005#LB', DataType.UINT32, 4_000_000_000],
      ['1!400007', DataType.INT64, -(2n ** 62n) - 1n],
      ['1!400011#WR', DataType.UINT64, 2n ** 64n - 2n],
      ['1!400015', DataType.FLOAT, -0.15625],
      ['1!400017#BB', DataType.DOUBLE, Math.PI],
      ['1!400021.7L', DataType.STRING, 'Grün!'],
      ['1!400031.5D', DataType.STRING, 'plant'],
      ['1!400041.6', DataType.BYTES, Uint8Array.of(1, 2, 3, 4, 5, 255)],
      ['1!000001', DataType.BIT, 1],
    ];
    expect((await write(fixture, tags)).every((code) => code === undefined)).to.equal(true);
    const points = pointsOf(...tags.map(([address, type]) => [address, type] as const));
    expect(await fixture.read(points)).to.deep.equal(tags.map(([, , value]) => value));
  });

  it('is confirmed by the device alone: an exception is 3001, silence 3015, a wrong echo 3009', async () => {
    await using fixture = await openFixture();
    const { device } = fixture;
    device.script = (request) => exception(request, 4);
    expect(await write(fixture, [['1!400001', DataType.INT16, 1]])).to.deep.equal([3001]);
    device.script = () => undefined;
    expect(await write(fixture, [['1!400001', DataType.INT16, 1]])).to.deep.equal([3015]);
    expect(device.asked(), 'an unanswered write is not repeated').to.have.length(2);
    device.script = (request) => Buffer.from([request.code, 0, 0, 0, 2]);
    expect(await write(fixture, [['1!400001', DataType.INT16, 1]])).to.deep.equal([3009]);
  });

  it('goes on with the others when the device refuses one', async () => {
    await using fixture = await openFixture();
    fixture.device.memory.holes.add(99);
    const tags = [100, 101, 201].map((number) => [`1!4${number}`, DataType.INT16, 5] as const);
    expect(await write(fixture, tags.slice(0, 1))).to.deep.equal([3001]);
    expect(await write(fixture, [tags[0]!, tags[2]!])).to.deep.equal([3001, undefined]);
    expect(fixture.device.memory.registers[200]).to.equal(5);
  });

  it('refuses what it cannot send without asking the device', async () => {
    await using fixture = await openFixture();
    expect(
      await write(fixture, [
        ['1!300001', DataType.INT16, 1],
        ['1!400001.3', DataType.BIT, 1],
        ['1!400001.4', DataType.STRING, 'hello'],
        ['1!400001.4', DataType.BYTES, new Uint8Array(5)],
        ['1!400001', DataType.INT16, 'one'],
      ]),
    ).to.deep.equal([2203, 2203, 4100, 3020, 3007]);
    expect(fixture.device.asked()).to.be.empty;
  });

  it('pads a short text with zeros', async () => {
    await using fixture = await openFixture();
    await write(fixture, [['1!400001.6H', DataType.STRING, 'ab']]);
    expect([...fixture.device.memory.registers.subarray(0, 3)]).to.deep.equal([0x6162, 0, 0]);
  });

  it('fails with 3002 while the link is down', async () => {
    await using fixture = await openFixture();
    await fixture.device.close();
    let codes: (number | undefined)[] = [];
    for (let tries = 0; tries < 100 && codes[0] !== 3002; tries++) {
      codes = await write(fixture, [['1!400001', DataType.INT16, 1]]);
    }
    expect(codes).to.deep.equal([3002]);
  });
});
