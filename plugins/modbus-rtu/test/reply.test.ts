import { expect } from 'chai';
import type { Progress } from '@tagway/sdk/link';
import { randomOf } from '@tagway/testkit';
import { crc16, frameOf } from '@tagway/modbus/rtu';
import { Reply } from '../src/reply.ts';
import { frame } from './device.ts';

const request = Buffer.from([3, 0, 10, 0, 2]);
const answer = frame(1, Buffer.from([3, 4, 1, 2, 3, 4]));

/** What becomes of a reply to the request, given these pieces. */
function after(...pieces: readonly Buffer[]): Progress {
  const reply = new Reply(1, request);
  let progress: Progress = 'waiting';
  for (const piece of pieces) progress = reply.take(piece, piece.length);
  return progress;
}

describe('a frame', () => {
  it('has the checksum of the standard', () => {
    // The example that the literature computes by hand: unit 2, function 7.
    expect(crc16(Uint8Array.of(2, 7), 0, 2)).to.equal(0x1241);
    expect([...frameOf(2, Uint8Array.of(7))]).to.deep.equal([2, 7, 0x41, 0x12]);
  });
});

describe('the reply to a request', () => {
  it('is whole after as many bytes as the request lets expect, in one piece or in many', () => {
    expect(after(answer)).to.equal('answered');
    const bytes = [...answer].map((byte) => Buffer.from([byte]));
    expect(after(...bytes.slice(0, -1))).to.equal('waiting');
    expect(after(...bytes)).to.equal('answered');
  });

  it('gives the protocol data unit', () => {
    const reply = new Reply(1, request);
    const bytes = Buffer.concat([Buffer.from([0xff, 0]), answer]);
    expect(reply.take(bytes, bytes.length)).to.equal('answered');
    expect([...reply.data.subarray(reply.start, reply.end)]).to.deep.equal([3, 4, 1, 2, 3, 4]);
  });

  it('is an exception after five bytes', () => {
    expect(after(frame(1, Buffer.from([0x83, 2])))).to.equal('answered');
    expect(after(frame(1, Buffer.from([0x83, 2])).subarray(0, 2))).to.equal('waiting');
  });

  it('is damaged when its checksum is wrong', () => {
    const spoilt = Buffer.from(answer);
    spoilt[4]! ^= 1;
    expect(after(spoilt)).to.equal('damaged');
  });

  it('is found behind noise and behind the answers to other requests', () => {
    const others = [
      Buffer.from([0]),
      frame(2, Buffer.from([3, 4, 9, 9, 9, 9])),
      frame(1, Buffer.from([4, 4, 9, 9, 9, 9])),
      frame(1, Buffer.from([3, 2, 9, 9])),
      frame(1, Buffer.from([0x84, 2])),
      Buffer.from(Array.from({ length: 3000 }, (_, index) => index & 0xff)),
      Buffer.from([1, 1, 1, 3, 1]),
    ];
    for (const other of others) {
      expect(after(other), other.toString('hex')).to.equal('waiting');
      expect(after(other, answer), other.toString('hex')).to.equal('answered');
      expect(after(Buffer.concat([other, answer])), other.toString('hex')).to.equal('answered');
    }
  });

  it('to a write repeats it: that of another write does not count', () => {
    const write = Buffer.from([6, 0, 10, 0, 7]);
    const reply = new Reply(1, write);
    const other = frame(1, Buffer.from([6, 0, 10, 0, 8]));
    expect(reply.take(other, other.length)).to.equal('waiting');
    const right = frame(1, write);
    expect(reply.take(right, right.length)).to.equal('answered');
  });

  it('takes any bytes, and finds none among random ones', () => {
    const random = randomOf(20_240_502);
    for (let round = 0; round < 2000; round++) {
      const reply = new Reply(1, request);
      for (let pieces = 0; pieces < 5; pieces++) {
        const size = random(600);
        const bytes = Buffer.from(Array.from({ length: size }, () => random(256)));
        expect(reply.take(bytes, size)).to.not.equal('answered');
      }
    }
  });
});
