import { expect } from 'chai';
import { DataType, ErrorCode, isFault, type Fault } from '@tagway/sdk';
import { pointsOf, type Reading } from '@tagway/testkit';
import { Area } from '../src/address.ts';
import { S7Error } from '../src/faults.ts';
import { packets, refusal, type Simulator } from './simulator.ts';
import { withFixture } from './fixture.ts';

/** Data block 1 with words that say where they are. */
function words(plc: Simulator, bytes = 4000): void {
  const block = Buffer.alloc(bytes);
  for (let at = 0; at + 1 < bytes; at += 2) block.writeUInt16BE(at, at);
  plc.blocks.set(1, block);
}

const word = (at: number): readonly [string, DataType] => [`DB1.DBW${at}`, DataType.UINT16];

describe('reading', () => {
  it('understands every area and type', async () => {
    await withFixture(async (fixture, plc) => {
      const block = Buffer.alloc(100);
      block.writeDoubleBE(-1.5e300, 0);
      block.writeFloatBE(2.5, 8);
      block.writeInt32BE(-70_000, 12);
      block.writeUInt32BE(4_000_000_000, 16);
      block.set([10, 3, ...Buffer.from('abcxyz')], 20);
      block.set([0, 8, 0, 2, 0x4e, 0x2d, 0x65, 0x87], 40);
      block.set([1, 2, 3, 0, 255], 60);
      block.set([0x80, 0xff, 0b100], 70);
      block.set([4, 200, ...Buffer.from('toolong')], 80);
      block.set([10, 2, 0xe9, 0x41], 90);
      plc.blocks.set(7, block);
      plc.areas.get(Area.INPUT)!.writeInt16BE(-2, 4);
      plc.areas.get(Area.OUTPUT)!.set([0b1010], 9);
      plc.areas.get(Area.FLAG)!.writeFloatBE(-0.5, 100);
      plc.areas.get(Area.TIMER)!.writeUInt16BE(0x2123, 10);
      plc.areas.get(Area.TIMER)!.writeUInt16BE(0x0f23, 12);
      plc.areas.get(Area.COUNTER)!.writeUInt16BE(0x0987, 6);
      const points = pointsOf(
        ['DB7.DBW0', DataType.DOUBLE],
        ['DB7.DBW8', DataType.FLOAT],
        ['DB7.DBW12', DataType.INT32],
        ['DB7.DBW16', DataType.UINT32],
        ['DB7.DBW20.6', DataType.STRING],
        ['DB7.DBW40.8D', DataType.STRING],
        ['DB7.DBW60.5', DataType.BYTES],
        ['DB7.DBW70', DataType.INT8],
        ['DB7.DBW71', DataType.UINT8],
        ['DB7.DBW72.2', DataType.BIT],
        ['DB7.DBW72.3', DataType.BOOL],
        ['DB7.DBW80.4', DataType.STRING],
        ['DB7.DBW90.4', DataType.STRING],
        ['I4', DataType.INT16],
        ['Q9.3', DataType.BIT],
        ['O9.2', DataType.BIT],
        ['M100', DataType.FLOAT],
        ['F100', DataType.FLOAT],
        ['T5', DataType.UINT32],
        ['T5', DataType.FLOAT],
        ['T6', DataType.INT32],
        ['C3', DataType.UINT16],
      );
      expect(await fixture.readings(points)).to.deep.equal([
        ...[-1.5e300, 2.5, -70_000, 4_000_000_000, 'abc', '中文', Uint8Array.of(1, 2, 3, 0, 255)],
        ...[-128, 255, 1, 0, 'tool', 'éA', -2, 1, 0, -0.5, -0.5, 123_000, 123],
        ...[{ fault: ErrorCode.DECODE_FAILED }, 987],
      ]);
    });
  });

  for (const pdu of [240, 480, 960]) {
    it(`keeps every job and every answer within a PDU of ${pdu} bytes`, async () => {
      await withFixture(
        async (fixture, plc) => {
          const scattered = Array.from({ length: 300 }, (_, index) => index * 12 + (index % 7) * 2);
          const points = pointsOf(
            ...scattered.map(word),
            ['DB2.DBW0.254', DataType.STRING],
            ['DB2.DBW300.600D', DataType.STRING],
            ['DB2.DBW2000.999', DataType.BYTES],
          );
          const text = 'x'.repeat(254);
          const block = Buffer.alloc(3000);
          block.set([254, 254, ...Buffer.from(text)]);
          block.writeUInt16BE(600, 300);
          block.writeUInt16BE(600, 302);
          for (let at = 0; at < 600; at++) block.writeUInt16BE(0x61 + (at % 26), 304 + 2 * at);
          block.fill(7, 2000, 2999);
          plc.blocks.set(2, block);
          const [string, wide, bytes] = (await fixture.read(points)).slice(300);
          expect(string).to.equal(text);
          expect(wide).to.equal(
            Array.from({ length: 600 }, (_, at) => String.fromCharCode(0x61 + (at % 26))).join(''),
          );
          expect(bytes).to.deep.equal(new Uint8Array(999).fill(7));
          expect((await fixture.readings(points)).slice(0, 300)).to.deep.equal(scattered);
          expect(plc.tooLarge).to.deep.equal([]);
          expect(plc.asked.every(({ packet }) => packet[18]! <= 20)).to.equal(true);
        },
        {},
        (plc) => {
          words(plc);
          plc.pdu = pdu;
        },
      );
    });
  }

  it('reads neighbours as one item, and strangers in one job', async () => {
    await withFixture(
      async (fixture, plc) => {
        await fixture.read(pointsOf(...Array.from({ length: 100 }, (_, index) => word(index * 2))));
        expect(plc.asked.map(({ packet }) => packet[18])).to.deep.equal([1]);
        await fixture.read(
          pointsOf(word(0), word(1000), word(2000), ['M3', DataType.UINT8], ['T1', DataType.INT32]),
        );
        expect(plc.asked.map(({ packet }) => packet[18])).to.deep.equal([1, 5]);
      },
      {},
      words,
    );
  });

  it('has as many jobs on their way as the PLC grants, and takes answers in any order', async () => {
    await withFixture(
      async (fixture, plc) => {
        const held: (() => void)[] = [];
        let most = 0;
        plc.script = ({ send }, usual) => {
          held.push(() => send(usual));
          most = Math.max(most, held.length);
          // The last one first, as soon as nothing more comes.
          setTimeout(() => held.pop()?.(), 30);
        };
        const places = Array.from({ length: 1500 }, (_, index) => index * 2);
        const values = await fixture.readings(pointsOf(...places.map(word)));
        expect(values).to.deep.equal(places);
        expect(most).to.equal(3);
      },
      {},
      (plc) => {
        words(plc);
        plc.pdu = 240;
        plc.jobs = 3;
      },
    );
  });

  it('loses no tag but the one that the PLC refuses, wherever that is, and remembers it', async () => {
    await withFixture(
      async (fixture, plc) => {
        plc.refused.set('1/200', 0x05);
        plc.refused.set('1/1200', 0x03);
        plc.refused.set('1/1804', 0x77);
        const places = Array.from({ length: 1000 }, (_, index) => index * 2);
        const points = pointsOf(...places.map(word), ['DB9.DBW0', DataType.INT16], ['M300', DataType.INT16]);
        const expected: Reading[] = [
          ...places,
          { fault: S7Error.OBJECT_MISSING },
          { fault: S7Error.ADDRESS },
        ];
        expected[100] = { fault: S7Error.ADDRESS };
        expected[600] = { fault: S7Error.ACCESS_DENIED };
        expected[902] = { fault: ErrorCode.READ_FAILED };
        expect(await fixture.readings(points)).to.deep.equal(expected);
        plc.asked.length = 0;
        expect(await fixture.readings(points)).to.deep.equal(expected);
        const jobs = plc.asked.length;
        expect(jobs, 'nothing is searched for a second time').to.be.below(10);
        plc.refused.clear();
        fixture.record.clockOffset += 11_000;
        const [hundredth] = (await fixture.readings(points)).slice(100);
        expect(hundredth, 'after a pause it is tried again').to.equal(200);
      },
      {},
      words,
    );
  });

  it('does not search a data block that does not exist', async () => {
    await withFixture(async (fixture, plc) => {
      const points = pointsOf(...Array.from({ length: 1000 }, (_, index) => word(index * 2)));
      expect(await fixture.readings(points)).to.deep.equal(
        points.map(() => ({ fault: S7Error.OBJECT_MISSING })),
      );
      expect(plc.asked.length).to.be.below(8);
    });
  });

  it('forgets what was refused when a new connection is there', async () => {
    await withFixture(async (fixture, plc) => {
      const points = pointsOf(word(0), word(2));
      expect(await fixture.readings(points)).to.deep.equal([
        { fault: S7Error.OBJECT_MISSING },
        { fault: S7Error.OBJECT_MISSING },
      ]);
      words(plc);
      plc.disconnectAll();
      for (let tries = 0; tries < 500; tries++) {
        const values = await fixture.readings(points);
        if (values[0] === 0 && values[1] === 2) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error('The values did not come back.');
    });
  });

  it('says in words that PUT/GET is switched off', async () => {
    await withFixture(
      async (fixture, plc) => {
        plc.script = ({ reference, send }) => send(refusal(reference, 0x8104));
        const [fault] = await fixture.read(pointsOf(word(0)));
        expect((fault as Fault).code).to.equal(S7Error.ACCESS_DENIED);
        expect((fault as Fault).message).to.include('PUT/GET');
        plc.script = ({ reference, send }) => send(refusal(reference, 0x8500));
        const [other] = await fixture.read(pointsOf(word(0)));
        expect((other as Fault).code).to.equal(ErrorCode.READ_FAILED);
        expect((other as Fault).message).to.include('wrong size');
      },
      {},
      words,
    );
  });

  it('says of each item that is too short or missing that it is', async () => {
    await withFixture(
      async (fixture, plc) => {
        plc.script = ({ send }, usual) => {
          // Two items of two bytes at 21 and 27: the first says one byte, the second is left out.
          const message = Buffer.concat([usual.subarray(7, 21), Buffer.from([0xff, 4, 0, 8, 1, 0])]);
          message.writeUInt16BE(6, 8);
          send(packets(message));
        };
        expect(await fixture.readings(pointsOf(word(0), word(2000)))).to.have.deep.members([
          { fault: S7Error.VALUE_TOO_SHORT },
          { fault: S7Error.NO_VALUE },
        ]);
      },
      {},
      words,
    );
  });

  it('takes data that comes in several packets', async () => {
    await withFixture(
      async (fixture, plc) => {
        plc.script = ({ send }, usual) => send(packets(usual.subarray(7), 50));
        const places = Array.from({ length: 100 }, (_, index) => index * 2);
        expect(await fixture.readings(pointsOf(...places.map(word)))).to.deep.equal(places);
      },
      {},
      words,
    );
  });

  it('gives a test read an answer that changes nothing for others', async () => {
    await withFixture(
      async (fixture, plc) => {
        plc.refused.set('1/4', 5);
        expect(await fixture.readings(pointsOf(word(4)), 'test')).to.deep.equal([{ fault: S7Error.ADDRESS }]);
        plc.refused.clear();
        expect(await fixture.readings(pointsOf(word(4)))).to.deep.equal([4]);
      },
      {},
      words,
    );
  });

  it('gives an address that is wrong its fault, and reads the others', async () => {
    await withFixture(
      async (fixture) => {
        const [good, bad] = await fixture.read(pointsOf(word(6), 'DB1.DBX6'));
        expect(good).to.equal(6);
        expect(isFault(bad) && bad.code).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      },
      {},
      words,
    );
  });
});
