import { expect } from 'chai';
import { fromDecimal, fromS5Time, toDecimal, toS5Time } from '../src/bcd.ts';
import {
  AnswerHeader,
  connectRequest,
  envelope,
  ItemCursor,
  largestTpdu,
  mostReadBytes,
  mostWriteBytes,
  packetLength,
  readRequest,
  Room,
  setReference,
  setupRequest,
  Size,
  Unit,
  writeRequest,
} from '../src/protocol.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('frames', () => {
  // What snap7 was seen to take and to send.
  it('are those that were seen on the wire', () => {
    expect(connectRequest(0x0100, 0x0101)).to.deep.equal(
      hex('03000016 11E00000000100 C0010A C1020100 C2020101'),
    );
    const setup = setupRequest(1, 0x03c0);
    setReference(setup, 1);
    expect(setup).to.deep.equal(hex('03000019 02F080 32010000000100080000 F0000001000103C0'));
    const read = readRequest([
      { unit: Unit.BYTE, count: 4, db: 1, area: 0x84, address: 80 },
      { unit: Unit.TIMER, count: 1, db: 0, area: 0x1d, address: 5 },
    ]);
    setReference(read, 0x1234);
    expect(read).to.deep.equal(
      hex(
        '0300002B 02F080 3201 0000 1234 001A 0000 0402 120A1002 0004 0001 84000050 120A101D 0001 0000 1D000005',
      ),
    );
    const write = writeRequest([
      {
        spec: { unit: Unit.BYTE, count: 1, db: 1, area: 0x84, address: 80 },
        size: Size.BYTES,
        data: Uint8Array.of(7),
      },
      {
        spec: { unit: Unit.BIT, count: 1, db: 0, area: 0x83, address: 9 },
        size: Size.BIT,
        data: Uint8Array.of(1),
      },
      {
        spec: { unit: Unit.COUNTER, count: 1, db: 0, area: 0x1c, address: 3 },
        size: Size.OCTETS,
        data: Uint8Array.of(9, 0x87),
      },
    ]);
    setReference(write, 2);
    expect(write.subarray(17)).to.deep.equal(
      hex(
        '0503 120A1002 0001 0001 84000050 120A1001 0001 0000 83000009 120A101C 0001 0000 1C000003' +
          '00040008 07 00 00030001 01 00 00090002 0987',
      ),
    );
    expect(packetLength(write, 0, write.length)).to.equal(write.length);
  });

  it('are walked through item by item, with failed ones that have no data', () => {
    const message = hex(
      '3203000000020002002800000407 FF04002000010203 FF0300010100 FF0900020010 FF0900020100 0A000004 05000004 FF0400100203',
    );
    const header = new AnswerHeader();
    expect(header.parse(message, 0, message.length)).to.equal(true);
    expect(header).to.include({ reference: 2, error: 0, func: 4, items: 7, isAnswer: true });
    const cursor = new ItemCursor();
    cursor.begin(header.data);
    const items: [number, string][] = [];
    while (cursor.next(message, header.end))
      items.push([cursor.code, message.toString('hex', cursor.start, cursor.start + cursor.size)]);
    expect(items).to.deep.equal([
      [0xff, '00010203'],
      [0xff, '01'],
      [0xff, '0010'],
      [0xff, '0100'],
      [0x0a, ''],
      [0x05, ''],
      [0xff, '0203'],
    ]);
  });

  it('are no frames when they say so', () => {
    const header = new AnswerHeader();
    for (const text of [
      '',
      '32',
      '3203000000020002',
      '3303000000020000000000000000',
      '320300000002000200280000',
    ])
      expect(header.parse(hex(text), 0, hex(text).length), text).to.equal(false);
    expect(packetLength(hex('04'), 0, 1)).to.equal(-1);
    expect(packetLength(hex('0300'), 0, 2)).to.equal(0);
    expect(packetLength(hex('03000006'), 0, 4)).to.equal(-1);
    expect(packetLength(hex('03000007'), 0, 4)).to.equal(envelope);
  });

  it('know how large a TPDU may be', () => {
    expect(largestTpdu(hex('0300000b06d00001000200'))).to.equal(1024);
    expect(largestTpdu(hex('0300000e09d00001000200c00109'))).to.equal(512);
    expect(largestTpdu(hex('0300001611d00001000200c1020100c2020101c0010d'))).to.equal(8192);
  });
});

describe('room in a PDU', () => {
  it('is what the header, the items and their padding leave', () => {
    expect([mostReadBytes(240), mostWriteBytes(240)]).to.deep.equal([222, 212]);
    const one = new Room(240, 'read');
    expect([one.take(223), one.take(222), one.take(1)]).to.deep.equal([false, true, false]);
    const odd = new Room(240, 'read');
    // 14 + (4 + 3 + 1 of padding) * n: the last one needs none.
    expect(Array.from({ length: 30 }, () => odd.take(3)).filter(Boolean)).to.have.length(19);
    const write = new Room(240, 'write');
    // 12 + (12 + 4 + 2) * n.
    expect(Array.from({ length: 30 }, () => write.take(2)).filter(Boolean)).to.have.length(12);
    const large = new Room(960, 'read');
    expect(Array.from({ length: 30 }, () => large.take(1)).filter(Boolean)).to.have.length(20);
  });
});

describe('decimal words', () => {
  it('hold three digits, and a time base', () => {
    expect([fromDecimal(0x0987), fromDecimal(0x000a), toDecimal(987), toDecimal(0)]).to.deep.equal([
      ...[987, -1, 0x987, 0],
    ]);
    expect([0x0001, 0x1001, 0x2123, 0x3999, 0x20f0].map(fromS5Time)).to.deep.equal([
      ...[10, 100, 123_000, 9_990_000, -1],
    ]);
    expect([0, 9990, 9995, 99_900, 123_000, 9_990_000].map(toS5Time)).to.deep.equal([
      ...[0, 0x0999, 0x1100, 0x1999, 0x2123, 0x3999],
    ]);
  });
});
