import { expect } from 'chai';
import { Area } from '../src/address.ts';
import {
  judge,
  readRequest,
  replySize,
  Verdict,
  writeCoilsRequest,
  writeRegistersRequest,
} from '../src/protocol.ts';

/** Bytes of data in the answer to a read. */
const readBytes = (area: Area, count: number): number => replySize(readRequest(area, 0, count)) - 2;

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

// The examples of sections 6.1 to 6.12 of the Modbus Application Protocol Specification V1.1b3.
describe('Modbus protocol data units', () => {
  it('asks as the specification does', () => {
    expect(readRequest(Area.COIL, 0x13, 0x13)).to.deep.equal(hex('01 0013 0013'));
    expect(readRequest(Area.DISCRETE_INPUT, 0xc4, 0x16)).to.deep.equal(hex('02 00c4 0016'));
    expect(readRequest(Area.HOLDING_REGISTER, 0x6b, 3)).to.deep.equal(hex('03 006b 0003'));
    expect(readRequest(Area.INPUT_REGISTER, 8, 1)).to.deep.equal(hex('04 0008 0001'));
    expect(writeCoilsRequest(0xac, [true])).to.deep.equal(hex('05 00ac ff00'));
    expect(writeCoilsRequest(0xac, [false])).to.deep.equal(hex('05 00ac 0000'));
    expect(writeRegistersRequest(1, hex('0003'))).to.deep.equal(hex('06 0001 0003'));
    const coils = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0].map((bit) => bit === 1);
    expect(writeCoilsRequest(0x13, coils)).to.deep.equal(hex('0f 0013 000a 02 cd01'));
    expect(writeRegistersRequest(1, hex('000a 0102'))).to.deep.equal(hex('10 0001 0002 04 000a 0102'));
  });

  it('expects as many bytes as registers and bits need', () => {
    expect(readBytes(Area.COIL, 0x13)).to.equal(3);
    expect(readBytes(Area.DISCRETE_INPUT, 16)).to.equal(2);
    expect(readBytes(Area.HOLDING_REGISTER, 125)).to.equal(250);
  });

  const read = hex('03 006b 0002');
  const answers: readonly (readonly [answer: string, verdict: number])[] = [
    ['03 04 022b 0000', Verdict.GOOD],
    ['83 02', 2],
    ['83 0b', 11],
    ['83 00', Verdict.MALFORMED],
    ['83', Verdict.MALFORMED],
    ['83 02 00', Verdict.MALFORMED],
    ['84 02', Verdict.MALFORMED],
    ['04 04 022b 0000', Verdict.MALFORMED],
    ['03 04 022b 00', Verdict.MALFORMED],
    ['03 04 022b 0000 00', Verdict.MALFORMED],
    ['03 02 022b', Verdict.MALFORMED],
    ['03', Verdict.MALFORMED],
  ];
  for (const [answer, verdict] of answers) {
    it(`judges ${answer} as the answer to a read of two registers: ${verdict}`, () => {
      const data = Buffer.concat([hex('ffff'), hex(answer), hex('ffff')]);
      expect(judge(read, data, 2, data.length - 2)).to.equal(verdict);
    });
  }

  it('takes nothing but the echo as the success of a write', () => {
    const write = hex('10 0001 0002 04 000a 0102');
    const judged = (text: string) => judge(write, hex(text), 0, hex(text).length);
    expect(judged('10 0001 0002')).to.equal(Verdict.GOOD);
    expect(judged('10 0001 0001')).to.equal(Verdict.MALFORMED);
    expect(judged('10 0002 0002')).to.equal(Verdict.MALFORMED);
    expect(judged('10 0001 0002 04')).to.equal(Verdict.MALFORMED);
    expect(judged('06 0001 0002')).to.equal(Verdict.MALFORMED);
    expect(judged('90 04')).to.equal(4);
  });
});
