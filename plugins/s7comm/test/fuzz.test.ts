import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { FrameSplitter } from '@tagway/sdk/link';
import { callOf, pointsOf, randomOf, readings, until } from '@tagway/testkit';
import { AnswerHeader, ItemCursor, packetLength } from '../src/protocol.ts';
import { withFixture } from './fixture.ts';
import { packets } from './simulator.ts';

const real = [
  '0300001611d00001000200c0010ac1020100c2020101',
  '0300001b02f080320300000001000800000000f0000001000100f0',
  '0300003b02f0803203000000020002002800000407ff04002000010203ff0300010100ff0900020010ff09000201000a00000405000004ff0400100203',
  '0300001802f0803203000000020002000300000503ffff0a',
  '0300001302f080320300000001000000008104',
].map((text) => Buffer.from(text, 'hex'));

describe('whatever a PLC sends', function () {
  this.timeout(30_000);

  it('4000 random and 4000 mutated frames in random chunks: nothing throws, and no memory is kept', () => {
    const random = randomOf(20_251_122);
    const header = new AnswerHeader();
    const cursor = new ItemCursor();
    let frames = 0;
    let invalid = 0;
    const splitter = new FrameSplitter(
      { length: packetLength, most: 8192 },
      {
        frame: (data, at, end) => {
          frames++;
          expect(end - at).to.be.at.most(8192);
          if (!header.parse(data, at + 7, end)) return;
          cursor.begin(header.data);
          let items = 0;
          while (cursor.next(data, header.end)) {
            items++;
            expect(cursor.start + Math.max(0, cursor.size)).to.be.at.most(header.end);
          }
          expect(items).to.be.at.most(end - at);
        },
        skipped: () => undefined,
        invalid: () => {
          invalid++;
          splitter.reset();
        },
      },
    );
    for (let round = 0; round < 8000; round++) {
      let bytes: Buffer;
      if (round < 4000) bytes = Buffer.from(Array.from({ length: 1 + random(80) }, () => random(256)));
      else {
        bytes = Buffer.from(real[random(real.length)]!);
        for (let change = random(4); change > 0; change--) bytes[random(bytes.length)] = random(256);
        if (random(8) === 0) bytes = bytes.subarray(0, random(bytes.length));
      }
      for (let at = 0; at < bytes.length;) {
        const end = Math.min(bytes.length, at + 1 + random(30));
        splitter.take(bytes.subarray(at, end), end - at);
        at = end;
      }
      // Half a frame would take what comes after it for its own.
      if (round % 4 === 0) expect(splitter.reset()).to.be.at.most(8192);
    }
    expect(frames).to.be.above(500);
    expect(invalid).to.be.above(500);
  });

  it('leaves a driver that reads again as soon as the PLC is sane', async () => {
    const random = randomOf(7);
    const points = pointsOf(
      ...Array.from({ length: 100 }, (_, at) => [`DB1.DBW${at * 30}`, DataType.UINT16] as const),
      ['DB1.DBW2.20', DataType.STRING],
      ['DB1.DBW40.20D', DataType.STRING],
      ['T3', DataType.INT32],
    );
    await withFixture(
      async (fixture, plc) => {
        let sent = 0;
        fixture.record.shortWaits = true;
        plc.script = ({ send }, usual) => {
          sent++;
          const message = Buffer.from(usual.subarray(7));
          const kind = random(8);
          if (kind === 0) return send(usual);
          if (kind === 1)
            return send(Buffer.from(Array.from({ length: 1 + random(300) }, () => random(256))));
          if (kind === 2) return send(usual.subarray(0, random(usual.length)));
          if (kind === 3) return send(packets(message.subarray(0, random(message.length))));
          for (let change = 1 + random(4); change > 0; change--)
            message[12 + random(message.length - 12)] = random(256);
          send(packets(message, 1 + random(200)));
        };
        const end = performance.now() + 5000;
        while (sent < 500 && performance.now() < end) {
          await readings(fixture.driver, points, callOf('poll', AbortSignal.timeout(15))).catch(
            () => undefined,
          );
          await new Promise(setImmediate);
        }
        expect(sent).to.be.above(100);
        fixture.record.shortWaits = false;
        plc.script = ({ send }, usual) => send(usual);
        await until('every value is there', async () => {
          fixture.record.clockOffset += 400_000;
          const values = await fixture.readings(points);
          return values.slice(0, 100).every((value, at) => value === at);
        });
      },
      {},
      (plc) => {
        const block = Buffer.alloc(3000);
        for (let at = 0; at < 100; at++) block.writeUInt16BE(at, at * 30);
        plc.blocks.set(1, block);
      },
    );
  });
});
