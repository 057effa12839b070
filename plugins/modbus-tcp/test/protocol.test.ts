import { expect } from 'chai';
import { FrameSplitter } from '@tagway/sdk/link';
import { randomOf } from '@tagway/testkit';
import { frameLength, maxFrame, overhead, transactionOf, writeFrame } from '@tagway/modbus/mbap';
import { frame } from './device.ts';

interface Found {
  readonly splitter: FrameSplitter;
  readonly frames: { id: number; unit: number; pdu: string }[];
  invalid: number;
}

/** What the link finds in bytes with this framing. */
function find(): Found {
  const frames: Found['frames'] = [];
  const splitter = new FrameSplitter(
    { length: frameLength, most: maxFrame },
    {
      frame: (data, at, end) =>
        void frames.push({
          id: transactionOf(data, at),
          unit: data[at + 6]!,
          pdu: data.toString('hex', at + overhead, end),
        }),
      skipped: () => expect.fail('Nothing is skipped.'),
      invalid: () => {
        found.invalid++;
      },
    },
  );
  const found: Found = { splitter, frames, invalid: 0 };
  return found;
}

describe('the framing of Modbus TCP', () => {
  it('writes the header of the specification', () => {
    const out = Buffer.alloc(20);
    const end = writeFrame(out, 2, 0x1234, 17, Buffer.from([3, 0, 107, 0, 3]));
    expect(out.toString('hex', 2, end)).to.equal('12340000000611' + '03006b0003');
  });

  it('finds every frame, however the bytes are cut', () => {
    const random = randomOf(1);
    for (let round = 0; round < 500; round++) {
      const frames = Array.from({ length: 1 + random(6) }, () => ({
        id: random(65_536),
        unit: random(256),
        pdu: Buffer.from(Array.from({ length: 1 + random(253) }, () => random(256))),
      }));
      const bytes = Buffer.concat(frames.map(({ id, unit, pdu }) => frame(id, unit, pdu)));
      const found = find();
      for (let at = 0; at < bytes.length;) {
        const size = 1 + random(300);
        const chunk = Buffer.from(bytes.subarray(at, at + size));
        found.splitter.take(chunk, chunk.length);
        at += size;
      }
      expect(found.invalid).to.equal(0);
      expect(found.frames).to.deep.equal(
        frames.map(({ id, unit, pdu }) => ({ id, unit, pdu: pdu.toString('hex') })),
      );
    }
  });

  it('survives random bytes and works after a reset', () => {
    const random = randomOf(2);
    const found = find();
    for (let round = 0; round < 5000; round++) {
      const junk = Buffer.from(Array.from({ length: random(600) }, () => random(random(2) === 0 ? 3 : 256)));
      found.splitter.take(junk, junk.length);
      found.splitter.reset();
      found.frames.length = 0;
      const sound = frame(round, 1, Buffer.from([3, 2, 0, 1]));
      found.splitter.take(sound, sound.length);
      expect(found.frames).to.deep.equal([{ id: round, unit: 1, pdu: '03020001' }]);
    }
  });

  it('refuses lengths that no frame has', () => {
    for (const length of [0, 1, 255, 65_535]) {
      const bytes = frame(1, 1, Buffer.from([3, 2, 0, 1]));
      bytes.writeUInt16BE(length, 4);
      const found = find();
      found.splitter.take(bytes, bytes.length);
      expect(found.invalid).to.equal(1);
      expect(found.frames).to.be.empty;
    }
  });
});
