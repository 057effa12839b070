import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { written, writesOf } from '@tagway/testkit';
import { codedWrites, writtenWords } from '@tagway/plc-words/test';
import { openFixture } from './fixture.ts';
import { AreaCode } from './simulator.ts';

describe('writing', () => {
  it('puts every type where the PLC keeps it, the lowest word first', async () => {
    await using fixture = await openFixture();
    const { memory, d } = fixture.simulator;
    const results = await written(
      fixture.driver,
      writesOf(
        ...codedWrites,
        ['D16', DataType.INT64, -(2n ** 63n) + 1n],
        ['D20', DataType.UINT64, 2n ** 64n - 2n],
        ['W5.3', DataType.BIT, 1],
        ['EM1W7', DataType.UINT16, 99],
        ['P4096', DataType.UINT16, 17],
      ),
    );
    expect(results).to.deep.equal(results.map(() => undefined));
    expect([...d.subarray(0, 24)]).to.deep.equal([
      ...writtenWords,
      ...[0x0001, 0x0000, 0x0000, 0x8000, 0xfffe, 0xffff, 0xffff, 0xffff],
    ]);
    expect(memory.words(AreaCode.W)[5]).to.equal(8);
    expect(memory.words(AreaCode.EM0 + 1)[7]).to.equal(99);
    expect(memory.words(AreaCode.P)[0x8000]).to.equal(17);
    expect(fixture.simulator.requests.slice(1), 'what follows each other goes at once').to.have.length(4);
  });

  it('writes bits alone, and leaves their neighbours', async () => {
    await using fixture = await openFixture();
    const { d, requests } = fixture.simulator;
    d[3] = 0xffff;
    const results = await written(
      fixture.driver,
      writesOf(['D3.0', DataType.BIT, 0], ['D3.1', DataType.BIT, 0], ['D3.15', DataType.BIT, 0]),
    );
    expect(results).to.deep.equal([undefined, undefined, undefined]);
    expect(d[3]).to.equal(0x7ffc);
    expect(
      requests.slice(1).map((frame) => frame.readUInt16BE(26)),
      'no word is read for it',
    ).to.deep.equal([0x0102, 0x0102]);
  });

  it('leaves the byte beside a text of odd length as it is', async () => {
    await using fixture = await openFixture();
    const { d } = fixture.simulator;
    d.set([0x1111, 0x22aa, 0x3333, 0x44bb]);
    const results = await written(
      fixture.driver,
      writesOf(['D0.3', DataType.STRING, 'xyz'], ['D2.3L', DataType.STRING, 'xyz']),
    );
    expect(results).to.deep.equal([undefined, undefined]);
    expect([...d.subarray(0, 4)]).to.deep.equal([0x7879, 0x7aaa, 0x7978, 0x447a]);
  });

  it('sends nothing that does not fit', async () => {
    await using fixture = await openFixture();
    const bad = writesOf(
      ['D0', DataType.INT16, 32_768],
      ['D0', DataType.INT16, 1.5],
      ['D0', DataType.UINT32, -1],
      ['D0', DataType.FLOAT, NaN],
      ['D0', DataType.FLOAT, 1e300],
      ['D0', DataType.DOUBLE, Infinity],
      ['D0', DataType.UINT64, -1n],
      ['D0', DataType.INT64, 5],
      ['D0.2', DataType.STRING, '你'],
      ['D0.1', DataType.BIT, 2],
      ['A0', DataType.INT16, 1],
      ['P1.1', DataType.BIT, 1],
      ['D0.16', DataType.BIT, 1],
    );
    expect(await written(fixture.driver, bad)).to.deep.equal([
      ...Array.from({ length: 7 }, () => ErrorCode.VALUE_OUT_OF_RANGE),
      ErrorCode.TYPE_MISMATCH,
      ErrorCode.STRING_TOO_LONG,
      ErrorCode.VALUE_OUT_OF_RANGE,
      ErrorCode.TAG_NOT_WRITABLE,
      ErrorCode.TAG_NOT_WRITABLE,
      ErrorCode.TAG_ADDRESS_INVALID,
    ]);
    expect(fixture.simulator.requests.slice(1)).to.deep.equal([]);
  });

  it('lets a refused write cost itself alone', async () => {
    await using fixture = await openFixture();
    const { memory, d } = fixture.simulator;
    memory.addHole(AreaCode.D, 11);
    const results = await written(
      fixture.driver,
      writesOf(
        ...Array.from({ length: 20 }, (_, index) => [`D${index}`, DataType.INT16, index + 1] as const),
      ),
    );
    expect(results).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => (index === 11 ? 10_508 : undefined)),
    );
    expect(d[19]).to.equal(20);
  });

  it('keeps the order of writes to one place', async () => {
    await using fixture = await openFixture();
    const { d } = fixture.simulator;
    await written(
      fixture.driver,
      writesOf(
        ['D0', DataType.INT16, 1],
        ['D1', DataType.INT16, 2],
        ['D0', DataType.INT16, 3],
        ['D0.15', DataType.BIT, 1],
      ),
    );
    expect([...d.subarray(0, 2)]).to.deep.equal([0x8003, 2]);
  });

  it('splits what one request cannot carry', async () => {
    await using fixture = await openFixture();
    const results = await written(
      fixture.driver,
      writesOf(...Array.from({ length: 1500 }, (_, index) => [`D${index}`, DataType.INT16, index] as const)),
    );
    expect(results.every((code) => code === undefined)).to.equal(true);
    expect(fixture.simulator.requests.slice(1).map((frame) => frame.readUInt16BE(32))).to.deep.equal([
      996, 504,
    ]);
    expect(fixture.simulator.d[1499]).to.equal(1499);
  });
});
