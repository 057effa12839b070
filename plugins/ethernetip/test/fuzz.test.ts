import { DataType } from '@tagway/sdk';
import { FrameSplitter } from '@tagway/sdk/link';
import { mutate, pointsOf, randomOf, until } from '@tagway/testkit';
import { expect } from 'chai';
import { parseAddress } from '../src/address.ts';
import { ReplyCursor, replyOf } from '../src/cip.ts';
import { Frame, frameLength, headerSize, identityOf, maxFrame } from '../src/protocol.ts';
import { tagsOf } from '../src/symbol-list.ts';
import { structureOf, templateSizeOf } from '../src/template.ts';
import { namesOf } from '../src/variables.ts';
import { openFixture } from './fixture.ts';
import { structure, tag, templateOf } from './program.ts';

const motor = structure('Motor', { On: 'BOOL', Speed: 'REAL', Counts: 'INT[12]' });
const points = pointsOf(
  'a',
  ['b', DataType.INT32],
  ['motor.Speed', DataType.FLOAT],
  ['motor.On', DataType.BOOL],
);

/** Answers of the simulated controller to real requests, of each kind. */
async function realFrames(): Promise<Buffer[]> {
  await using fixture = await openFixture((device) =>
    device.add(tag('a', 'INT', { bytes: '0100' }), tag('b', 'DINT', { bytes: '02' }), tag('motor', motor)),
  );
  await fixture.readings(points);
  await fixture.written(points.slice(0, 2), [1, 2]);
  return fixture.simulator.frames
    .filter(({ fromClient }) => !fromClient)
    .map(({ bytes }) => Buffer.from(bytes));
}

describe('hostile bytes', () => {
  it('throw nothing in the framing and the replies: 4000 random and 4000 mutated frames, cut at random', async () => {
    const random = randomOf(20_260_401);
    const real = await realFrames();
    const frame = new Frame();
    const cursor = new ReplyCursor();
    let frames = 0;
    let replies = 0;
    const sink = {
      frame: (data: Buffer, at: number, end: number) => {
        frames++;
        expect(end - at).to.be.within(headerSize, maxFrame);
        identityOf(data, at, end);
        if (!frame.parse(data, at, end)) return;
        expect(frame.start).to.be.at.most(frame.end);
        expect(frame.end).to.be.at.most(end);
        const reply = replyOf(data, frame.start, frame.end);
        if (reply === undefined) return;
        replies++;
        if (!cursor.begin(reply.data, 1 + random(4))) return;
        while (cursor.next()) expect(cursor.end).to.be.at.most(reply.data.length);
      },
      skipped: () => undefined,
      invalid: () => undefined,
    };
    for (let round = 0; round < 8000; round++) {
      const splitter = new FrameSplitter({ length: frameLength, most: maxFrame }, sink);
      const bytes =
        round < 4000
          ? Buffer.from(Array.from({ length: 1 + random(120) }, () => random(256)))
          : mutate(real[random(real.length)]!, random);
      if (round < 4000 && bytes.length > 4 && round % 2 === 0) bytes.set([0x6f, 0, random(100), 0]);
      for (let at = 0; at < bytes.length;) {
        const size = 1 + random(bytes.length - at);
        const piece = Buffer.from(bytes.subarray(at, at + size));
        splitter.take(piece, piece.length);
        at += size;
      }
    }
    expect(frames).to.be.above(1500);
    expect(replies).to.be.above(800);
  });

  it('throw nothing in lists of tags and in templates', async () => {
    const random = randomOf(7);
    const { attributes, definition } = templateOf(motor);
    const values = [...attributes].map(([id, value]) => Buffer.concat([Buffer.from([id, 0, 0, 0]), value]));
    const sizes = Buffer.concat([Buffer.from([4, 0]), ...values]);
    const list = (await realFrames()).find((frame) => frame[46] === 0xd5)!.subarray(50);
    expect(tagsOf(list)).to.have.lengthOf(3);
    const size = templateSizeOf(sizes)!;
    expect(structureOf(size, definition)?.members.size).to.equal(motor.members.length);
    for (let round = 0; round < 4000; round++) {
      const mutated = tagsOf(mutate(list, random));
      if (mutated !== undefined) expect(mutated.length).to.be.at.most(20);
      const other = templateSizeOf(mutate(sizes, random)) ?? size;
      structureOf(other, mutate(definition, random));
    }
  });

  it('throw nothing in lists of variables', () => {
    const random = randomOf(5);
    const list = Buffer.from('020001000a006b00010000000361626308006b00020000000161', 'hex');
    expect(namesOf(list)).to.deep.equal(['abc', 'a']);
    for (let round = 0; round < 4000; round++) namesOf(mutate(list, random));
  });

  it('are no addresses: nothing throws', () => {
    const random = randomOf(11);
    const pieces = ['Program:', 'Main', '.', '[', ']', ',', '3', '{', '}', 'Tag', ':', ' ', 'ü', '-', '\0'];
    for (let round = 0; round < 8000; round++) {
      const text = Array.from({ length: random(8) }, () => pieces[random(pieces.length)]).join('');
      parseAddress(text, (1 + random(14)) as DataType);
    }
  });

  it('harm no driver that polls: it recovers, and keeps nothing of them', async function () {
    this.timeout(30_000);
    const random = randomOf(99);
    const real = await realFrames();
    await using fixture = await openFixture((device) =>
      device.add(tag('a', 'INT', { bytes: '0100' }), tag('b', 'DINT', { bytes: '02' }), tag('motor', motor)),
    );
    expect(await fixture.readings(points)).to.deep.equal([1, 2, 0, 0]);
    fixture.record.shortWaits = true;
    let answers = 0;
    let hurt = 0;
    fixture.simulator.answering = (answer) => {
      // Good answers between the bad ones have the driver come back at once.
      if (answers++ % 6 < 5) return answer;
      hurt++;
      if (hurt % 3 === 0) return mutate(answer, random);
      const bytes =
        hurt % 3 === 1
          ? Buffer.from(Array.from({ length: 1 + random(120) }, () => random(256)))
          : mutate(real[random(real.length)]!, random);
      return Buffer.concat([bytes, answer]);
    };
    await until('it was hurt often', async () => {
      await fixture.readings(points);
      return hurt >= 40;
    });
    fixture.simulator.answering = (answer) => answer;
    fixture.record.shortWaits = false;
    await until('values come', async () => {
      fixture.record.clockOffset += 400_000;
      const values = await fixture.readings(points);
      return values[0] === 1 && values[1] === 2 && values[3] === 0;
    });
  });
});
