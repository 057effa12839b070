import { expect } from 'chai';
import type { FrameSink } from '@tagway/modbus';
import { randomOf } from '@tagway/modbus/test';
import { MbapFramer } from '../src/mbap.ts';
import { frame } from './device.ts';

class Sink implements FrameSink {
  readonly frames: { id: number; unit: number; pdu: string }[] = [];
  readonly lostFor: string[] = [];

  frame(id: number, unit: number, data: Buffer, start: number, end: number): void {
    this.frames.push({ id, unit, pdu: data.toString('hex', start, end) });
  }

  lost(reason: string): void {
    this.lostFor.push(reason);
  }
}

describe('the framing of Modbus TCP', () => {
  it('writes the header of the specification', () => {
    const out = Buffer.alloc(20);
    const end = new MbapFramer().write(out, 2, 0x1234, 17, Buffer.from([3, 0, 107, 0, 3]));
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
      const framer = new MbapFramer();
      const sink = new Sink();
      for (let at = 0; at < bytes.length;) {
        const size = 1 + random(300);
        // The buffer is used again, as a socket does.
        const chunk = Buffer.from(bytes.subarray(at, at + size));
        framer.read(chunk, chunk.length, sink);
        chunk.fill(0xee);
        at += size;
      }
      expect(sink.lostFor).to.be.empty;
      expect(sink.frames).to.deep.equal(
        frames.map(({ id, unit, pdu }) => ({ id, unit, pdu: pdu.toString('hex') })),
      );
    }
  });

  it('survives random bytes and works after a reset', () => {
    const random = randomOf(2);
    const framer = new MbapFramer();
    for (let round = 0; round < 5000; round++) {
      const sink = new Sink();
      const junk = Buffer.from(Array.from({ length: random(600) }, () => random(random(2) === 0 ? 3 : 256)));
      framer.read(junk, junk.length, sink);
      framer.reset();
      const sound = frame(round, 1, Buffer.from([3, 2, 0, 1]));
      const after = new Sink();
      framer.read(sound, sound.length, after);
      expect(after.frames).to.deep.equal([{ id: round, unit: 1, pdu: '03020001' }]);
    }
  });

  it('refuses lengths that no frame has', () => {
    for (const length of [0, 1, 255, 65_535]) {
      const bytes = frame(1, 1, Buffer.from([3, 2, 0, 1]));
      bytes.writeUInt16BE(length, 4);
      const sink = new Sink();
      new MbapFramer().read(bytes, bytes.length, sink);
      expect(sink.lostFor).to.have.length(1);
      expect(sink.frames).to.be.empty;
    }
  });
});
