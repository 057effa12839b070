import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { callOf, pointsOf, readings } from '@tagway/testkit';
import { codedWords } from '@tagway/plc-words/test';
import { openFixture } from './fixture.ts';
import { AreaCode } from './simulator.ts';

/** Words of a request for reading. */
const countOf = (frame: Buffer): number => frame.readUInt16BE(32);

describe('reading', () => {
  it('has every type as the PLC holds it, the lowest word first', async () => {
    await using fixture = await openFixture();
    const { memory, d } = fixture.simulator;
    const coded = codedWords(d);
    d.set([0x0001, 0x0000, 0x0000, 0x8000], 10);
    memory.words(AreaCode.CIO)[7] = 7;
    memory.words(AreaCode.W)[8] = 8;
    memory.words(AreaCode.H)[9] = 9;
    memory.words(AreaCode.A)[10] = 10;
    memory.words(AreaCode.P)[11] = 11;
    memory.words(AreaCode.P)[0x8002] = 12;
    memory.words(AreaCode.EM0 + 0xd)[13] = 13;
    memory.words(AreaCode.EM10)[14] = 14;
    memory.bits(AreaCode.F)[15] = 1;
    memory.bits(AreaCode.F)[0x8001] = 1;
    const points = pointsOf(
      ...coded.map(([address, type]) => [address, type] as const),
      ['D10', DataType.INT64],
      ['D10', DataType.UINT64],
      'CIO7',
      'W8',
      'H9',
      'A10',
      'P11',
      'P4098',
      'EMDW13',
      'EM10W14',
      ['F15', DataType.UINT8],
      ['F16', DataType.INT8],
      ['F4097', DataType.UINT8],
    );
    const expected = [
      ...coded.map(([, , value]) => value),
      ...[-(2n ** 63n) + 1n, 2n ** 63n + 1n],
      ...[7, 8, 9, 10, 11, 12, 13, 14, 1, 0, 1],
    ];
    expect(await readings(fixture.driver, points)).to.deep.equal(expected);
    expect(await readings(fixture.driver, points, callOf('test')), 'a test read').to.deep.equal(expected);
  });

  it('ends a text at its first NUL, and shows one that is not UTF-8 as "?"', async () => {
    await using fixture = await openFixture();
    fixture.simulator.d.set([0x4100, 0x4242, 0xff41, 0xe4bd, 0xa000]);
    const points = pointsOf(['D0.4', DataType.STRING], ['D2.2', DataType.STRING], ['D3.3', DataType.STRING]);
    expect(await readings(fixture.driver, points)).to.deep.equal(['A', '?', '你']);
  });

  it('merges what is near and keeps to the limit of words', async () => {
    await using fixture = await openFixture();
    const { requests, d } = fixture.simulator;
    d.forEach((_, index) => (d[index] = index & 0x7fff));
    const points = pointsOf(...Array.from({ length: 1000 }, (_, index) => `D${index}`), 'D1020', 'D5000');
    const expected = [...Array.from({ length: 1000 }, (_, index) => index), 1020, 5000];
    for (let round = 0; round < 2; round++)
      expect(await readings(fixture.driver, points)).to.deep.equal(expected);
    const reads = requests.slice(1).map(countOf);
    expect(reads).to.deep.equal([400, 400, 221, 1, 400, 400, 221, 1]);
  });

  it('reads up to 999 words at once when it is told to', async () => {
    await using fixture = await openFixture({ max_words: 999 });
    const points = pointsOf(...Array.from({ length: 999 }, (_, index) => `D${index}`));
    await readings(fixture.driver, points);
    expect(fixture.simulator.requests.slice(1).map(countOf)).to.deep.equal([999]);
  });

  it('asks for less once the PLC says that it is too long, and says so once', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    simulator.mostWords = 120;
    simulator.d.forEach((_, index, d) => (d[index] = index));
    const points = pointsOf(...Array.from({ length: 900 }, (_, index) => `D${index}`));
    const expected = points.map((_, index) => index);
    expect(await readings(driver, points)).to.deep.equal(expected);
    const from = simulator.requests.length;
    expect(await readings(driver, points)).to.deep.equal(expected);
    expect(simulator.requests.slice(from).map(countOf)).to.deep.equal(Array.from({ length: 9 }, () => 100));
    expect(record.logs.filter((line) => line.includes('too long'))).to.have.length(2);
  });

  it('lets a bad address cost its own tag alone, wherever it is, and remembers it', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    for (const place of [0, 17, 299]) simulator.memory.addHole(AreaCode.D, place);
    simulator.memory.missing.add(AreaCode.EM0 + 3);
    const points = pointsOf(...Array.from({ length: 300 }, (_, index) => `D${index}`), 'EM3W0', [
      'D400',
      DataType.BYTES,
    ]);
    const bad = { fault: 10_508 };
    const expected = points.map((_, index) =>
      index === 301 ? { fault: ErrorCode.TAG_TYPE_UNSUPPORTED } : [0, 17, 299, 300].includes(index) ? bad : 0,
    );
    // One reading looks for a limited number of culprits.
    for (let round = 0; round < 3; round++) await readings(driver, points);
    const from = simulator.requests.length;
    expect(await readings(driver, points)).to.deep.equal(expected);
    expect(simulator.requests.length - from, 'requests once the bad ones are known').to.equal(2);
    record.clockOffset += 20_000;
    simulator.memory.missing.clear();
    expect((await readings(driver, points))[300], 'a refused place is tried again').to.equal(0);
  });

  it('gives all tags the fault of an error that concerns them all, without looking for a culprit', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    simulator.script = (_frame, usual) => {
      const reply = usual();
      reply.writeUInt32BE(22, 4);
      reply.writeUInt16BE(0x0205, 28);
      return [reply.subarray(0, 30)];
    };
    const points = pointsOf('D0', 'D1', 'D2');
    expect(await readings(driver, points)).to.deep.equal(points.map(() => ({ fault: 10_503 })));
    expect(simulator.requests).to.have.length(2);
  });

  it('takes values from a PLC whose CPU unit reports an error', async () => {
    await using fixture = await openFixture();
    fixture.simulator.flags = 0x00c0;
    fixture.simulator.d[0] = 5;
    expect(await readings(fixture.driver, pointsOf('D0'))).to.deep.equal([5]);
  });
});
