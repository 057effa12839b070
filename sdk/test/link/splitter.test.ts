import { expect } from 'chai';
import { FrameSplitter, type Framing } from '@tagway/sdk/link';

/** Numbers that look random and are the same in every run (an LCG with the constants of Numerical Recipes). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A mark, a length of two bytes, a body. */
const framing: Framing = {
  length: (bytes, at, end) => {
    if (bytes[at] !== 0x68) return -1;
    return end - at < 3 ? 0 : 3 + bytes.readUInt16BE(at + 1);
  },
  most: 300,
};

function collect(rules: Framing): {
  splitter: FrameSplitter;
  frames: string[];
  found: { skipped: number; invalid: number };
} {
  const frames: string[] = [];
  const found = { skipped: 0, invalid: 0 };
  const splitter = new FrameSplitter(rules, {
    frame: (data, at, end) => void frames.push(data.toString('hex', at, end)),
    skipped: (bytes) => void (found.skipped += bytes),
    invalid: () => {
      found.invalid++;
    },
  });
  return { splitter, frames, found };
}

function frameOf(size: number, random: (below: number) => number): Buffer {
  const frame = Buffer.from(Array.from({ length: 3 + size }, () => random(256)));
  frame[0] = 0x68;
  frame.writeUInt16BE(size, 1);
  return frame;
}

describe('a frame splitter', () => {
  it('finds every frame, however the bytes are cut', () => {
    const random = randomOf(1);
    for (let round = 0; round < 500; round++) {
      const wanted = Array.from({ length: 1 + random(6) }, () => frameOf(random(297), random));
      const bytes = Buffer.concat(wanted);
      const { splitter, frames, found } = collect(framing);
      const most = round % 5 === 0 ? 1 : 400;
      for (let at = 0; at < bytes.length;) {
        // The buffer is used again, as a socket does.
        const chunk = Buffer.from(bytes.subarray(at, at + 1 + random(most)));
        splitter.take(chunk, chunk.length);
        at += chunk.length;
        chunk.fill(0xee);
      }
      expect(found).to.deep.equal({ skipped: 0, invalid: 0 });
      expect(frames).to.deep.equal(wanted.map((frame) => frame.toString('hex')));
    }
  });

  it('skips bytes that are no frame, and counts them', () => {
    const random = randomOf(2);
    const { splitter, frames, found } = collect({ ...framing, garbage: 'skip' });
    const wanted = [frameOf(4, random), frameOf(9, random)];
    const bytes = Buffer.concat([Buffer.from([1, 2, 3]), wanted[0]!, Buffer.from([4]), wanted[1]!]);
    for (const byte of bytes) splitter.take(Buffer.from([byte]), 1);
    expect(frames).to.deep.equal(wanted.map((frame) => frame.toString('hex')));
    expect(found).to.deep.equal({ skipped: 4, invalid: 0 });
  });

  it('refuses a frame larger than the largest, and a length that never becomes known', () => {
    const large = collect(framing);
    large.splitter.take(Buffer.from([0x68, 0xff, 0xff]), 3);
    expect(large.found.invalid).to.equal(1);
    const endless = collect({ length: () => 0, most: 10 });
    for (let i = 0; i < 100 && endless.found.invalid === 0; i++) endless.splitter.take(Buffer.from([1]), 1);
    expect(endless.found.invalid).to.equal(1);
  });

  it('forgets half a frame on reset, also in the midst of a chunk', () => {
    const random = randomOf(3);
    const { splitter, frames } = collect(framing);
    splitter.take(Buffer.from([0x68, 0]), 2);
    expect(splitter.reset()).to.equal(2);
    splitter.take(frameOf(1, random), 4);
    expect(frames).to.have.length(1);
    const seen: number[] = [];
    const stopping: FrameSplitter = new FrameSplitter(framing, {
      frame: (_data, at) => {
        seen.push(at);
        stopping.reset();
      },
      skipped: () => undefined,
      invalid: () => undefined,
    });
    const two = Buffer.concat([frameOf(1, random), frameOf(1, random)]);
    stopping.take(two, two.length);
    expect(seen).to.deep.equal([0]);
  });

  it('survives random bytes with bounded memory', () => {
    const random = randomOf(4);
    for (const garbage of ['drop', 'skip'] as const) {
      const { splitter } = collect({ ...framing, garbage });
      for (let round = 0; round < 4000; round++) {
        const junk = Buffer.from(
          Array.from({ length: random(200) }, () => (random(2) === 0 ? 0x68 : random(256))),
        );
        splitter.take(junk, junk.length);
      }
      expect(splitter.reset()).to.be.at.most(300);
    }
  });
});
