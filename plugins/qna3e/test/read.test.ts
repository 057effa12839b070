import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { callOf, pointsOf, readings } from '@tagway/testkit';
import { codedWords } from '@tagway/plc-words/test';
import { TransportMode, XyBase, ZrBase } from '../src/settings.ts';
import { openFixture } from './fixture.ts';
import { bitDevices, DeviceCode, Simulator } from './simulator.ts';

/** Points of a batch. */
const countOf = (frame: Buffer): number => frame.readUInt16LE(19);

for (const [name, transport_mode] of Object.entries(TransportMode))
  describe(`reading over ${name}`, () => {
    it('has every type as the PLC holds it, the lowest word first', async () => {
      await using fixture = await openFixture({ transport_mode });
      const { memory, d } = fixture.simulator;
      const coded = codedWords(d);
      memory.words(DeviceCode.W)[0x1f] = 1;
      memory.words(DeviceCode.TN)[2] = 2;
      memory.words(DeviceCode.STN)[3] = 3;
      memory.words(DeviceCode.CN)[4] = 4;
      memory.words(DeviceCode.SD)[5] = 5;
      memory.words(DeviceCode.SW)[0x16] = 6;
      memory.words(DeviceCode.R)[7] = 7;
      memory.words(DeviceCode.ZR)[0x18] = 8;
      memory.words(DeviceCode.Z)[9] = 9;
      for (const device of bitDevices) memory.bits(DeviceCode[device])[9] = 1;
      const points = pointsOf(
        ...coded.map(([address, type]) => [address, type] as const),
        ...['W1F', 'TN2', 'SN3', 'CN4', 'SD5', 'SW16', 'R7', 'ZR18', 'Z9'],
        ...bitDevices.flatMap((device) => [
          [`${device}9`, DataType.BIT] as const,
          [`${device}8`, DataType.BIT] as const,
        ]),
      );
      const expected = [
        ...coded.map(([, , value]) => value),
        ...[1, 2, 3, 4, 5, 6, 7, 8, 9],
        ...bitDevices.flatMap(() => [1, 0]),
      ];
      expect(await readings(fixture.driver, points)).to.deep.equal(expected);
      expect(await readings(fixture.driver, points, callOf('test')), 'a test read').to.deep.equal(expected);
    });

    it('merges what is near and keeps to 960 words and 7168 bits', async () => {
      await using fixture = await openFixture({ transport_mode });
      const { requests, d, memory } = fixture.simulator;
      d.forEach((_, index) => (d[index] = index & 0x7fff));
      const bits = memory.bits(DeviceCode.M);
      bits.forEach((_, index) => (bits[index] = index % 3 === 0 ? 1 : 0));
      const points = pointsOf(
        ...Array.from({ length: 1000 }, (_, index) => `D${index}`),
        'D5000',
        ...Array.from({ length: 8001 }, (_, index) => [`M${index}`, DataType.BIT] as const),
      );
      const expected = [
        ...Array.from({ length: 1000 }, (_, index) => index),
        5000,
        ...Array.from({ length: 8001 }, (_, index) => (index % 3 === 0 ? 1 : 0)),
      ];
      expect(await readings(fixture.driver, points)).to.deep.equal(expected);
      expect(requests.map(countOf)).to.deep.equal([7168, 833, 960, 40, 1]);
    });
  });

describe('reading', () => {
  it('names the route and a timer that ends before the own one', async () => {
    await using fixture = await openFixture({
      network: 3,
      pc: 7,
      module_io: 0x3e0,
      station: 2,
      timeout: 2000,
    });
    fixture.simulator.d[0] = 5;
    expect(await readings(fixture.driver, pointsOf('D0'))).to.deep.equal([5]);
    const [frame = Buffer.alloc(0)] = fixture.simulator.requests;
    expect(frame.subarray(2, 7).toString('hex')).to.equal('0307e00302');
    expect(frame.readUInt16LE(9) * 250).to.be.within(1, 1999);
  });

  it('sends from the local port that is set', async () => {
    // A port that was free a moment ago.
    const other = new Simulator();
    const local_port = await other.listenUdp();
    await other.close();
    await using fixture = await openFixture({ transport_mode: TransportMode.UDP, local_port });
    expect(await readings(fixture.driver, pointsOf('D0'))).to.deep.equal([0]);
    expect(fixture.simulator.peerPort).to.equal(local_port);
  });

  it('has X in octal and ZR in decimal when the settings say so', async () => {
    await using fixture = await openFixture({ xy_base: XyBase.OCTAL, zr_base: ZrBase.DECIMAL });
    fixture.simulator.memory.bits(DeviceCode.X)[0o17] = 1;
    fixture.simulator.memory.words(DeviceCode.ZR)[100] = 9;
    expect(await readings(fixture.driver, pointsOf(['X17', DataType.BIT], 'ZR100'))).to.deep.equal([1, 9]);
  });

  it('asks for less once the PLC says that it is too much', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    simulator.mostWords = 480;
    const points = pointsOf(...Array.from({ length: 960 }, (_, index) => `D${index}`));
    for (let round = 0; round < 2; round++)
      expect(await readings(driver, points)).to.deep.equal(points.map(() => 0));
    expect(simulator.requests.map(countOf)).to.deep.equal([960, 480, 480, 480, 480]);
  });

  it('lets a bad address cost its own tag alone, wherever it is, and remembers it', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    for (const place of [0, 17, 299]) simulator.memory.addHole(DeviceCode.D, place);
    simulator.memory.addHole(DeviceCode.M, 5);
    const points = pointsOf(
      ...Array.from({ length: 300 }, (_, index) => `D${index}`),
      ...Array.from({ length: 10 }, (_, index) => [`M${index}`, DataType.BIT] as const),
    );
    const bad = { fault: ErrorCode.READ_FAILED };
    const expected = points.map((_, index) => ([0, 17, 299, 305].includes(index) ? bad : 0));
    // One reading looks for a limited number of culprits.
    for (let round = 0; round < 4; round++) await readings(driver, points);
    const from = simulator.requests.length;
    expect(await readings(driver, points)).to.deep.equal(expected);
    expect(simulator.requests.length - from, 'requests once the bad ones are known').to.equal(4);
  });
});
