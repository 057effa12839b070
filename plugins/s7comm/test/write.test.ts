import { expect } from 'chai';
import { DataType, ErrorCode, type Value } from '@tagway/sdk';
import { pointsOf, until } from '@tagway/testkit';
import { Area } from '../src/address.ts';
import { S7Error } from '../src/faults.ts';
import { refusal } from './simulator.ts';
import { withFixture } from './fixture.ts';

describe('writing', () => {
  it('puts every type where it belongs, byte by byte', async () => {
    await withFixture(async (fixture, plc) => {
      const block = Buffer.alloc(200, 0xee);
      plc.blocks.set(1, block);
      plc.areas.get(Area.FLAG)![5] = 0b1111_0000;
      const writes: [string, DataType, Value][] = [
        ['DB1.DBW0', DataType.DOUBLE, -1.5],
        ['DB1.DBW8', DataType.FLOAT, 2.5],
        ['DB1.DBW12', DataType.INT32, -2],
        ['DB1.DBW16', DataType.UINT32, 4_294_967_295],
        ['DB1.DBW20', DataType.INT16, -2],
        ['DB1.DBW22', DataType.UINT16, 0x1234],
        ['DB1.DBW24', DataType.INT8, -128],
        ['DB1.DBW25', DataType.UINT8, 200],
        ['DB1.DBW30.6', DataType.STRING, 'aé'],
        ['DB1.DBW40.6D', DataType.STRING, '中文'],
        ['DB1.DBW60.4', DataType.BYTES, Uint8Array.of(1, 2, 3)],
        ['M5.1', DataType.BIT, 1],
        ['M5.7', DataType.BOOL, false],
        ['T3', DataType.UINT32, 123_000],
        ['T4', DataType.FLOAT, 0.5],
        ['C9', DataType.UINT16, 907],
      ];
      const points = pointsOf(...writes.map(([address, type]) => [address, type] as const));
      const results = await fixture.written(
        points,
        writes.map(([, , value]) => value),
      );
      expect(results).to.deep.equal(writes.map(() => undefined));
      expect(block.toString('hex', 0, 26)).to.equal('bff800000000000040200000fffffffefffffffffffe123480c8');
      // The declared length stays as it was, and so does what lies behind the text.
      expect(block.toString('hex', 30, 36)).to.equal('ee0361c3a9ee');
      expect(block.toString('hex', 40, 50)).to.equal('eeee00024e2d6587eeee');
      expect(block.toString('hex', 60, 65)).to.equal('01020300ee');
      expect(plc.areas.get(Area.FLAG)![5]).to.equal(0b0111_0010);
      expect(plc.areas.get(Area.TIMER)!.toString('hex', 6, 10)).to.equal('21230050');
      expect(plc.areas.get(Area.COUNTER)!.readUInt16BE(18)).to.equal(0x0907);
      expect(plc.asked).to.have.length(1);
      expect(plc.tooLarge).to.deep.equal([]);
    });
  });

  it('sends nothing that does not fit', async () => {
    await withFixture(async (fixture, plc) => {
      const wrong: [string, DataType, Value, number][] = [
        ['DB1.DBW0', DataType.INT8, 128, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.UINT8, -1, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.INT16, 32_768, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.UINT16, 1.5, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.INT32, 2 ** 31, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.UINT32, 2 ** 32, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.FLOAT, Number.NaN, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.FLOAT, 1e39, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.DOUBLE, Infinity, ErrorCode.VALUE_OUT_OF_RANGE],
        ['DB1.DBW0', DataType.INT16, '7', ErrorCode.TYPE_MISMATCH],
        ['DB1.DBW0.3', DataType.BIT, 2, ErrorCode.TYPE_MISMATCH],
        ['DB1.DBW0.3', DataType.STRING, 'aéé', ErrorCode.STRING_TOO_LONG],
        ['DB1.DBW0.3D', DataType.STRING, 'abcd', ErrorCode.STRING_TOO_LONG],
        ['DB1.DBW0.3', DataType.STRING, 5, ErrorCode.TYPE_MISMATCH],
        ['DB1.DBW0.3', DataType.BYTES, new Uint8Array(4), ErrorCode.VALUE_OUT_OF_RANGE],
        ['T1', DataType.UINT32, 9_990_001, ErrorCode.VALUE_OUT_OF_RANGE],
        ['T1', DataType.FLOAT, -1, ErrorCode.VALUE_OUT_OF_RANGE],
        ['C1', DataType.UINT16, 1000, ErrorCode.VALUE_OUT_OF_RANGE],
        ['I1', DataType.UINT8, 1, ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED],
        ['X1', DataType.UINT8, 1, ErrorCode.TAG_ADDRESS_INVALID],
      ];
      const results = await fixture.written(
        pointsOf(...wrong.map(([address, type]) => [address, type] as const)),
        wrong.map(([, , value]) => value),
      );
      expect(results).to.deep.equal(wrong.map(([, , , code]) => code));
      expect(plc.asked).to.deep.equal([]);
    });
  });

  for (const pdu of [240, 960]) {
    it(`keeps within a PDU of ${pdu} bytes, in order, with a result for each`, async () => {
      await withFixture(
        async (fixture, plc) => {
          plc.blocks.set(1, Buffer.alloc(20_000));
          plc.blocks.set(2, Buffer.alloc(40_000));
          plc.refused.set('1/40', 5);
          const places = Array.from({ length: 200 }, (_, index) => index * 4);
          const points = pointsOf(
            ...places.map((at) => [`DB1.DBW${at}`, DataType.INT32] as const),
            ['DB3.DBW0', DataType.INT16],
            ['DB2.DBW0.254', DataType.STRING],
            ['DB2.DBW1000.1000D', DataType.STRING],
            ['DB1.DBW0', DataType.INT32],
          );
          const results = await fixture.written(points, [
            ...places.map((at) => at + 1),
            1,
            'y'.repeat(254),
            'z'.repeat(1000),
            -5,
          ]);
          const expected: (number | undefined)[] = points.map(() => undefined);
          expected[10] = S7Error.ADDRESS;
          expected[200] = S7Error.OBJECT_MISSING;
          expect(results).to.deep.equal(expected);
          const block = plc.blocks.get(1)!;
          expect(places.map((at) => block.readInt32BE(at))).to.deep.equal(
            places.map((at) => (at === 0 ? -5 : at === 40 ? 0 : at + 1)),
          );
          const texts = plc.blocks.get(2)!;
          expect(texts.toString('latin1', 2, 256)).to.equal('y'.repeat(254));
          expect([texts[0], texts[1]]).to.deep.equal([0, 254]);
          expect(texts.readUInt16BE(1002)).to.equal(1000);
          expect(texts.subarray(1004, 3004).every((byte, at) => byte === (at % 2 === 0 ? 0 : 0x7a))).to.equal(
            true,
          );
          expect(plc.tooLarge).to.deep.equal([]);
        },
        {},
        (plc) => {
          plc.pdu = pdu;
        },
      );
    });
  }

  it('leaves the length of a text alone when its end could not be written', async () => {
    await withFixture(
      async (fixture, plc) => {
        plc.blocks.set(1, Buffer.alloc(3000));
        plc.refused.set('1/1990', 5);
        const [fault] = await fixture.write(pointsOf(['DB1.DBW0.1000D', DataType.STRING]), [
          'z'.repeat(1000),
        ]);
        expect(fault?.code).to.equal(S7Error.ADDRESS);
        expect(plc.blocks.get(1)!.readUInt16BE(2)).to.equal(0);
      },
      {},
      (plc) => {
        plc.pdu = 240;
      },
    );
  });

  it('goes ahead of reads that wait, and needs the word of the PLC', async () => {
    await withFixture(
      async (fixture, plc) => {
        plc.blocks.set(1, Buffer.alloc(20_000));
        const held: (() => void)[] = [];
        plc.script = ({ send }, usual) => void held.push(() => send(usual));
        const reading = fixture.read(
          pointsOf(...Array.from({ length: 3000 }, (_, at) => `DB1.DBW${at * 2}`)),
        );
        await until('the first read is on its way', () => held.length === 1);
        const writing = fixture.written(pointsOf('DB1.DBW0'), [7]);
        plc.script = ({ send }, usual) => send(usual);
        held.pop()?.();
        expect(await writing).to.deep.equal([undefined]);
        await reading;
        expect(plc.asked[1]?.func).to.equal(5);
        plc.script = ({ reference, send }) => send(refusal(reference, 0x8104));
        const [fault] = await fixture.write(pointsOf('DB1.DBW0'), [8]);
        expect(fault?.code).to.equal(S7Error.ACCESS_DENIED);
        plc.script = () => undefined;
        expect(await fixture.written(pointsOf('DB1.DBW0'), [9])).to.deep.equal([ErrorCode.NO_RESPONSE]);
      },
      {},
      (plc) => {
        plc.jobs = 1;
      },
    );
  });

  it('ends when it is called off, and the late answer disturbs nobody', async () => {
    await withFixture(async (fixture, plc) => {
      plc.blocks.set(1, Buffer.alloc(100));
      const late: (() => void)[] = [];
      plc.script = ({ send }, usual) => void late.push(() => send(usual));
      const abort = new AbortController();
      const writing = fixture.write(pointsOf('DB1.DBW0'), [7], abort.signal).catch((error: unknown) => error);
      await until('the write is on its way', () => late.length === 1);
      abort.abort(new Error('called off'));
      expect(((await writing) as Error).message).to.equal('called off');
      plc.script = ({ send }, usual) => send(usual);
      late.pop()?.();
      expect(await fixture.readings(pointsOf('DB1.DBW0'))).to.deep.equal([7]);
      expect(fixture.record.counts.get('late_frames')).to.equal(1);
    });
  });
});
