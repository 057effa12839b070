import { expect } from 'chai';
import { answerOf, frameLength, mostBytes, requestFrame } from '../src/protocol.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const lengthOf = (bytes: Buffer): number => frameLength(bytes, 0, bytes.length);

describe('the assumed frame', () => {
  it('asks a site for the answer to a command', () => {
    expect(requestFrame(5, 3).toString('hex')).to.equal('0000000000020503');
  });

  it('knows its length from its first six bytes', () => {
    const answer = hex('0000 0000 0006 05 03 01020304');
    expect(lengthOf(answer)).to.equal(12);
    for (let size = 0; size < 6; size++) expect(frameLength(answer, 0, size), `${size} bytes`).to.equal(0);
    for (const garbage of ['01', '0000 0001', '0000 0000 0001', '0000 0000 ffff'])
      expect(lengthOf(hex(garbage)), garbage).to.equal(-1);
    expect(lengthOf(hex('0000 0000 0ffa'))).to.equal(mostBytes);
  });

  it('carries bytes, or the code of a refusal', () => {
    const answer = hex('0000 0000 0006 05 03 01020304');
    expect(answerOf(answer, 0, answer.length)).to.deep.equal({
      site: 5,
      command: 3,
      refusal: undefined,
      bytes: hex('01020304'),
    });
    const refusal = hex('0000 0000 0003 05 83 02');
    expect(answerOf(refusal, 0, refusal.length)).to.deep.include({ site: 5, command: 3, refusal: 2 });
    const short = hex('0000 0000 0002 05 83');
    expect(answerOf(short, 0, short.length)).to.deep.include({ refusal: 0 });
  });
});
