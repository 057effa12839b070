import { expect } from 'chai';
import { DataType, type Value } from '@tagway/sdk';
import { pointsOf, type Reading } from '@tagway/testkit';
import { Area } from '../src/address.ts';
import { S7Error } from '../src/faults.ts';
import { fixtureAt } from './fixture.ts';
import { Relay } from './relay.ts';
import { Simulator } from './simulator.ts';
import { Snap7, snap7Client, snap7Missing } from './snap7.ts';

const title = 'snap7';

if (snap7Missing !== undefined)
  describe.skip(`${title} (skipped: ${snap7Missing})`, () => {
    it('is read and written', () => undefined);
  });
else
  describe(title, function () {
    this.timeout(30_000);

    function block(): Buffer {
      const bytes = Buffer.alloc(2000);
      bytes.writeInt16BE(-1234, 0);
      bytes.writeUInt32BE(0x01020304, 2);
      bytes.writeFloatBE(3.25, 6);
      bytes.writeDoubleBE(-1e100, 10);
      bytes[18] = 0b0010_0000;
      bytes.set([20, 5, ...Buffer.from('hello')], 20);
      bytes.set([0, 10, 0, 2, 0x4e, 0x2d, 0x65, 0x87], 50);
      bytes.set([9, 8, 7], 80);
      bytes.set([254, 254, ...Buffer.from('a'.repeat(254))], 100);
      for (let at = 400; at < 2000; at += 2) bytes.writeUInt16BE(at, at);
      return bytes;
    }

    for (const pdu of [240, 480]) {
      it(`its server at a PDU of ${pdu} bytes: every type, errors in the middle, nothing larger than the PDU`, async () => {
        const flags = Buffer.alloc(64);
        flags.writeFloatBE(-2.5, 8);
        await using snap7 = await Snap7.start({
          pdu,
          blocks: { 1: block().toString('hex'), 3: '2a00' },
          areas: { PE: '80ff01', PA: '00000001', MK: flags.toString('hex') },
        });
        await using relay = await Relay.open(snap7.port);
        await using fixture = await fixtureAt(relay.port);
        const scattered = Array.from({ length: 80 }, (_, index) => 400 + 20 * index);
        const tags: readonly (readonly [string, DataType, Reading])[] = [
          ['DB1.DBW0', DataType.INT16, -1234],
          ['DB2.DBW0', DataType.INT16, { fault: S7Error.OBJECT_MISSING }],
          ['DB1.DBW2', DataType.UINT32, 0x01020304],
          ['DB1.DBW6', DataType.FLOAT, 3.25],
          ['DB1.DBW1999', DataType.INT16, { fault: S7Error.ADDRESS }],
          ['DB1.DBW10', DataType.DOUBLE, -1e100],
          ['DB1.DBW18.5', DataType.BIT, 1],
          ['DB1.DBW18.4', DataType.BIT, 0],
          ['DB1.DBW20.20', DataType.STRING, 'hello'],
          ['DB1.DBW50.10D', DataType.STRING, '中文'],
          ['DB1.DBW80.3', DataType.BYTES, Uint8Array.of(9, 8, 7)],
          ['DB1.DBW100.254', DataType.STRING, 'a'.repeat(254)],
          ['DB3.DBW0', DataType.UINT8, 42],
          ['M100', DataType.INT16, { fault: S7Error.ADDRESS }],
          ['I0', DataType.INT8, -128],
          ['I0', DataType.UINT16, 0x80ff],
          ['Q3.0', DataType.BIT, 1],
          ['M8', DataType.FLOAT, -2.5],
          ...scattered.map((at) => [`DB1.DBW${at}`, DataType.UINT16, at] as const),
        ];
        const points = pointsOf(...tags.map(([address, type]) => [address, type] as const));
        const expected = tags.map(([, , value]) => value);
        expect(await fixture.readings(points)).to.deep.equal(expected);
        expect(await fixture.readings(points)).to.deep.equal(expected);
        const sizes = relay.packets.map(({ bytes }) => bytes.length - 7);
        expect(Math.max(...sizes)).to.be.at.most(pdu);
        expect(
          sizes.some((size) => size > pdu - 20),
          'they are filled',
        ).to.equal(true);
      });

      it(`its server at a PDU of ${pdu} bytes: many writes in one job, each with its own result`, async () => {
        await using snap7 = await Snap7.start({
          pdu,
          blocks: { 1: Buffer.alloc(1000, 0xee).toString('hex') },
          areas: { PA: '0000', MK: 'f0f0' },
        });
        await using relay = await Relay.open(snap7.port);
        await using fixture = await fixtureAt(relay.port);
        const writes: readonly (readonly [string, DataType, Value, number?])[] = [
          ['DB1.DBW0', DataType.INT16, -2],
          ['M1.1', DataType.BIT, 1],
          ['DB2.DBW0', DataType.INT16, 5, S7Error.OBJECT_MISSING],
          ['M1.7', DataType.BIT, 0],
          ['DB1.DBW999', DataType.INT16, 5, S7Error.ADDRESS],
          ['DB1.DBW2', DataType.FLOAT, 3.25],
          ['DB1.DBW6.8', DataType.STRING, 'abc'],
          ['DB1.DBW20.8D', DataType.STRING, '中'],
          ['DB1.DBW40', DataType.DOUBLE, -1e100],
          ['DB1.DBW50.3', DataType.BYTES, Uint8Array.of(1, 2, 3)],
          ['Q1', DataType.UINT8, 200],
          ['DB1.DBW100.254', DataType.STRING, 'q'.repeat(254)],
        ];
        const results = await fixture.write(
          pointsOf(...writes.map(([address, type]) => [address, type] as const)),
          writes.map(([, , value]) => value),
        );
        expect(results.map((fault) => fault?.code)).to.deep.equal(writes.map(([, , , code]) => code));
        const data = await snap7.area('DB', 1);
        expect(data.readInt16BE(0)).to.equal(-2);
        expect(data.readFloatBE(2)).to.equal(3.25);
        expect(data.toString('hex', 6, 12)).to.equal('ee03616263ee');
        expect(data.toString('hex', 20, 28)).to.equal('eeee00014e2deeee');
        expect(data.readDoubleBE(40)).to.equal(-1e100);
        expect(data.toString('hex', 50, 54)).to.equal('010203ee');
        expect(data.toString('latin1', 101, 357)).to.equal(`\xfe${'q'.repeat(254)}\xee`);
        expect((await snap7.area('MK')).toString('hex')).to.equal('f072');
        expect((await snap7.area('PA')).toString('hex')).to.equal('00c8');
        expect(Math.max(...relay.packets.map(({ bytes }) => bytes.length - 7))).to.be.at.most(pdu);
      });
    }

    it('its server is asked for timers and counters by their numbers', async () => {
      await using snap7 = await Snap7.start({
        pdu: 240,
        words: { '29/5': 0x2123, '29/6': 0x0050, '28/3': 0x0987, '28/200': 0x0001 },
      });
      await using fixture = await fixtureAt(snap7.port);
      const points = pointsOf(
        ['T5', DataType.UINT32],
        ['T6', DataType.FLOAT],
        ['C3', DataType.UINT16],
        ['C200', DataType.INT16],
      );
      expect(await fixture.readings(points)).to.deep.equal([123_000, 0.5, 987, 1]);
      const results = await fixture.write(points, [9_990_000, 0.05, 120, 0]);
      expect(results).to.deep.equal([undefined, undefined, undefined, undefined]);
      expect(await snap7.written()).to.deep.equal([
        { area: 0x1d, start: 5, wordLength: 0x1d, data: '3999' },
        { area: 0x1d, start: 6, wordLength: 0x1d, data: '0005' },
        { area: 0x1c, start: 3, wordLength: 0x1c, data: '0120' },
        { area: 0x1c, start: 200, wordLength: 0x1c, data: '0000' },
      ]);
    });

    it('its client finds in the simulator of these tests what a PLC would answer', async () => {
      await using plc = new Simulator();
      await plc.listen();
      plc.blocks.set(1, Buffer.from('0102030405060708', 'hex'));
      plc.areas.get(Area.TIMER)!.writeUInt16BE(0x2123, 10);
      plc.areas.get(Area.FLAG)![5] = 0x10;
      const client = snap7Client();
      const remotePort = 2;
      client.SetParam(remotePort, plc.port);
      await new Promise<void>((resolve, reject) =>
        client.ConnectTo('127.0.0.1', 0, 1, (error) =>
          error ? reject(new Error('snap7 could not connect.')) : resolve(),
        ),
      );
      try {
        expect(client.PDULength()).to.equal(480);
        const items = [
          { Area: 0x84, WordLen: 0x02, DBNumber: 1, Start: 2, Amount: 3 },
          { Area: 0x84, WordLen: 0x02, DBNumber: 1, Start: 7, Amount: 2 },
          { Area: 0x84, WordLen: 0x02, DBNumber: 9, Start: 0, Amount: 2 },
          { Area: 0x1d, WordLen: 0x1d, DBNumber: 0, Start: 5, Amount: 1 },
        ];
        const results = await new Promise<readonly { Result: number; Data?: Buffer }[]>((resolve) =>
          client.ReadMultiVars(items, (_error, found) => resolve(found)),
        );
        expect(
          results.map(({ Result, Data }) => (Result === 0 ? Data?.toString('hex') : 'refused')),
        ).to.deep.equal([...['030405', 'refused', 'refused', '2123']]);
        const writes = [
          { ...items[0]!, Data: Buffer.from('aabbcc', 'hex') },
          { ...items[2]!, Data: Buffer.from('0000', 'hex') },
          { Area: 0x83, WordLen: 0x01, DBNumber: 0, Start: 5 * 8 + 1, Amount: 1, Data: Buffer.from([1]) },
        ];
        const written = await new Promise<readonly { Result: number }[]>((resolve) =>
          client.WriteMultiVars(writes, (_error, done) => resolve(done)),
        );
        expect(written.map(({ Result }) => Result === 0)).to.deep.equal([true, false, true]);
        expect(plc.blocks.get(1)!.toString('hex')).to.equal('0102aabbcc060708');
        expect(plc.areas.get(Area.FLAG)![5]).to.equal(0x12);
      } finally {
        client.Disconnect();
      }
    });
  });
