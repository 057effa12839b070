import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { written, writesOf } from '@tagway/testkit';
import { codedWrites, writtenWords } from '@tagway/plc-words/test';
import { openFixture } from './fixture.ts';
import { DeviceCode } from './simulator.ts';

/** Command and subcommand of each request. */
const commandsOf = (frames: readonly Buffer[]): string[] =>
  frames.map((frame) => `${frame.readUInt16LE(11).toString(16)} ${frame.readUInt16LE(13)}`);

describe('writing', () => {
  it('puts every type where the PLC keeps it, the lowest word first', async () => {
    await using fixture = await openFixture();
    const { d, requests } = fixture.simulator;
    const results = await written(fixture.driver, writesOf(...codedWrites));
    expect(results).to.deep.equal(results.map(() => undefined));
    expect([...d.subarray(0, 16)]).to.deep.equal(writtenWords);
    expect(commandsOf(requests), 'what follows each other goes at once').to.deep.equal(['1401 0']);
  });

  it('writes words and bits of any devices in one request each', async () => {
    await using fixture = await openFixture();
    const { memory, d, requests } = fixture.simulator;
    const results = await written(
      fixture.driver,
      writesOf(
        ['D0', DataType.INT16, 1],
        ['W1F', DataType.UINT32, 0x1234_5678],
        ['R9', DataType.FLOAT, -3.125],
        ['M3', DataType.BIT, 1],
        ['Y1F', DataType.BIT, 1],
        ['D100', DataType.INT16, 7],
      ),
    );
    expect(results).to.deep.equal(results.map(() => undefined));
    expect(d[0]).to.equal(1);
    expect([...memory.words(DeviceCode.W).subarray(0x1f, 0x21)]).to.deep.equal([0x5678, 0x1234]);
    expect([...memory.words(DeviceCode.R).subarray(9, 11)]).to.deep.equal([0, 0xc048]);
    expect([memory.bits(DeviceCode.M)[3], memory.bits(DeviceCode.Y)[0x1f], d[100]]).to.deep.equal([1, 1, 7]);
    expect(commandsOf(requests), 'in their order').to.deep.equal(['1402 0', '1402 1', '1401 0']);
  });

  it('writes neighbouring bits as a batch, an odd number too', async () => {
    await using fixture = await openFixture();
    const { memory, requests } = fixture.simulator;
    memory.bits(DeviceCode.M).fill(1, 10, 20);
    await written(
      fixture.driver,
      writesOf(['M11', DataType.BIT, 0], ['M12', DataType.BIT, 1], ['M13', DataType.BIT, 0]),
    );
    expect([...memory.bits(DeviceCode.M).subarray(10, 16)]).to.deep.equal([1, 0, 1, 0, 1, 1]);
    expect(commandsOf(requests)).to.deep.equal(['1401 1']);
  });

  it('reads, changes and writes a word for its bits, several bits at once', async () => {
    await using fixture = await openFixture();
    const { d, requests } = fixture.simulator;
    d[20] = 0b1010_0000_0000_0001;
    const results = await written(
      fixture.driver,
      writesOf(['D20.3', DataType.BIT, 1], ['D20.0', DataType.BIT, 0], ['D20.15', DataType.BIT, 1]),
    );
    expect(results).to.deep.equal([undefined, undefined, undefined]);
    expect(d[20]).to.equal(0b1010_0000_0000_1000);
    expect(commandsOf(requests)).to.deep.equal(['401 0', '1401 0']);
  });

  it('keeps two calls that write bits of one word apart', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    await Promise.all(
      Array.from({ length: 16 }, (_, bit) => written(driver, writesOf([`D5.${bit}`, DataType.BIT, 1]))),
    );
    expect(simulator.d[5]).to.equal(0xffff);
  });

  it('leaves the byte beside a text of odd length as it is', async () => {
    await using fixture = await openFixture();
    const { d } = fixture.simulator;
    d.set([0x1111, 0x22aa, 0x3333, 0x44bb]);
    await written(
      fixture.driver,
      writesOf(['D0.3', DataType.STRING, 'xyz'], ['D2.3L', DataType.STRING, 'xyz']),
    );
    expect([...d.subarray(0, 4)]).to.deep.equal([0x7879, 0x7aaa, 0x7978, 0x447a]);
  });

  it('sends nothing that does not fit', async () => {
    await using fixture = await openFixture();
    const bad = writesOf(
      ['D0', DataType.UINT16, 65_536],
      ['D0', DataType.INT32, 2 ** 31],
      ['D0', DataType.FLOAT, 1e39],
      ['D0', DataType.DOUBLE, NaN],
      ['D0.2', DataType.STRING, 'abc'],
      ['M0', DataType.BIT, 2],
      ['D0.1', DataType.BIT, -1],
    );
    expect(await written(fixture.driver, bad)).to.deep.equal([
      ...Array.from({ length: 4 }, () => ErrorCode.VALUE_OUT_OF_RANGE),
      ErrorCode.STRING_TOO_LONG,
      ErrorCode.VALUE_OUT_OF_RANGE,
      ErrorCode.VALUE_OUT_OF_RANGE,
    ]);
    expect(fixture.simulator.requests).to.deep.equal([]);
  });

  it('lets a refused write cost itself alone, in a batch and in a random write', async () => {
    await using fixture = await openFixture();
    const { memory, d } = fixture.simulator;
    memory.addHole(DeviceCode.D, 4);
    for (const step of [1, 2]) {
      const results = await written(
        fixture.driver,
        writesOf(
          ...Array.from({ length: 8 }, (_, index) => [`D${step * index}`, DataType.INT16, 9] as const),
        ),
      );
      expect(results).to.deep.equal(
        Array.from({ length: 8 }, (_, index) => (step * index === 4 ? ErrorCode.WRITE_FAILED : undefined)),
      );
      expect(d[step * 7]).to.equal(9);
    }
  });

  it('keeps the order of writes that touch the same words', async () => {
    await using fixture = await openFixture();
    const { d } = fixture.simulator;
    await written(
      fixture.driver,
      writesOf(['D10', DataType.UINT32, 0x1111_2222], ['D11', DataType.INT16, 7], ['D10', DataType.INT16, 8]),
    );
    expect([...d.subarray(10, 12)]).to.deep.equal([8, 7]);
  });

  it('keeps to the limits of random writes', async () => {
    await using fixture = await openFixture();
    const { requests, d, memory } = fixture.simulator;
    const results = await written(
      fixture.driver,
      writesOf(
        ...Array.from({ length: 200 }, (_, index) => [`D${3 * index}`, DataType.INT16, index] as const),
        ...Array.from({ length: 200 }, (_, index) => [`M${3 * index}`, DataType.BIT, 1] as const),
      ),
    );
    expect(results.every((code) => code === undefined)).to.equal(true);
    expect(commandsOf(requests)).to.deep.equal(['1402 0', '1402 0', '1402 1', '1402 1']);
    expect([d[597], memory.bits(DeviceCode.M)[597]]).to.deep.equal([199, 1]);
  });
});
