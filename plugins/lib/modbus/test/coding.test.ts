import { expect } from 'chai';
import { DataType, isFault, type Value } from '@tagway/sdk';
import { ValuesRecorder } from '@tagway/testkit';
import { orderOf, parseAddress, startOf, testOrderOf, type Address } from '../src/address.ts';
import { compileRows } from '../src/decode.ts';
import type { Item } from '../src/decode.ts';
import { encodeRegisters } from '../src/encode.ts';
import { shown, type Reading } from './kit/index.ts';

const straight = { endianess: 1, endianess_64: 1 };

function addressOf(text: string, type: DataType): Address {
  const address = parseAddress(text, type);
  if (isFault(address)) throw address;
  return address;
}

function itemOf(text: string, type: DataType, index = 0, node: typeof straight | 'test' = straight): Item {
  const address = addressOf(text, type);
  const start = startOf(address, 1);
  const order = node === 'test' ? testOrderOf(address) : orderOf(address, node);
  return { index, address, area: address.area, start, end: start + address.count, order };
}

/** Decodes data that begins at the first item's register. */
function decode(items: readonly Item[], hex: string): Reading[] {
  const log = new ValuesRecorder();
  // The data lies in the middle of a reply.
  const data = Buffer.concat([
    Buffer.from('ffff', 'hex'),
    Buffer.from(hex, 'hex'),
    Buffer.from('ffff', 'hex'),
  ]);
  for (const row of compileRows(items, items[0]!.start)) row.decode(data, 2, row, log);
  return log.all(items.length).map(shown);
}

describe('the coding of values', () => {
  const { INT16, UINT16, INT32, UINT32, INT64, UINT64, FLOAT, DOUBLE, BIT, STRING, BYTES } = DataType;
  const cases: readonly (readonly [address: string, type: DataType, wire: string, value: Value])[] = [
    ['1!400001', INT16, 'fffe', -2],
    ['1!400001#B', INT16, 'feff', -2],
    ['1!400001', UINT16, 'fffe', 65_534],
    ['1!400001#L', UINT16, '0102', 0x0102],
    ['1!400001', INT32, 'fffffffe', -2],
    ['1!400001#LL', UINT32, '01020304', 0x01020304],
    ['1!400001#LB', UINT32, '02010403', 0x01020304],
    ['1!400001#BL', UINT32, '03040102', 0x01020304],
    ['1!400001#BB', UINT32, '04030201', 0x01020304],
    ['1!400001', UINT32, 'fffffffe', 4_294_967_294],
    ['1!400001', FLOAT, '3fc00000', 1.5],
    ['1!400001#BL', FLOAT, '00003fc0', 1.5],
    ['1!400001', INT64, '8000000000000001', -(2n ** 63n) + 1n],
    ['1!400001', UINT64, 'ffffffffffffffff', 2n ** 64n - 1n],
    ['1!400001#LL', UINT64, '0102030405060708', 0x0102030405060708n],
    ['1!400001#LB', UINT64, '0201040306050807', 0x0102030405060708n],
    ['1!400001#BL', UINT64, '0708050603040102', 0x0102030405060708n],
    ['1!400001#BB', UINT64, '0807060504030201', 0x0102030405060708n],
    ['1!400001#WS', UINT64, '0304010207080506', 0x0102030405060708n],
    ['1!400001#WR', UINT64, '0506070801020304', 0x0102030405060708n],
    ['1!400001', DOUBLE, '400921fb54442d18', Math.PI],
    ['1!400001.5', STRING, '68656c6c6f00', 'hello'],
    ['1!400001.5H', STRING, '68656c6c6f00', 'hello'],
    ['1!400001.5L', STRING, '65686c6c006f', 'hello'],
    ['1!400001.2D', STRING, '00680069', 'hi'],
    ['1!400001.2E', STRING, '68006900', 'hi'],
    ['1!400001.4', STRING, 'c3bc0000', 'ü'],
    ['1!400001.4', BYTES, '00ff0001', Uint8Array.of(0, 255, 0, 1)],
  ];
  for (const [address, type, wire, value] of cases) {
    it(`${address} of type ${type}: ${wire}`, () => {
      expect(decode([itemOf(address, type)], wire)).to.deep.equal([value]);
      const encoded = encodeRegisters(addressOf(address, type), value, straight);
      expect(Buffer.from(encoded as Uint8Array).toString('hex')).to.equal(wire);
    });
  }

  it('takes the byte order of the node where the address has none', () => {
    const orders = (type: DataType, wire: string, setting: 'endianess' | 'endianess_64', most: number) =>
      Array.from({ length: most }, (_, index) => {
        const node = { ...straight, [setting]: index + 1 };
        return decode([itemOf('1!400001', type, 0, node)], wire).map((value) => value.toString(16))[0];
      });
    expect(orders(UINT32, '01020304', 'endianess', 4)).to.deep.equal([
      '1020304',
      '2010403',
      '4030201',
      '3040102',
    ]);
    expect(orders(UINT64, '0102030405060708', 'endianess_64', 6)).to.deep.equal([
      '102030405060708',
      '201040306050807',
      '807060504030201',
      '708050603040102',
      '304010207080506',
      '506070801020304',
    ]);
    const node = { endianess: 3, endianess_64: 3 };
    expect(decode([itemOf('1!400001#LL', UINT32, 0, node)], '01020304')).to.deep.equal([0x01020304]);
    expect(decode([itemOf('1!400001', UINT16, 0, node)], '0102')).to.deep.equal([0x0102]);
  });

  it('leaves every byte order out of a test read', () => {
    expect(decode([itemOf('1!400001', UINT32, 0, 'test')], '01020304')).to.deep.equal([0x01020304]);
    expect(decode([itemOf('1!400001#BB', UINT32, 0, 'test')], '01020304')).to.deep.equal([0x01020304]);
    expect(decode([itemOf('1!400001#B', UINT16, 0, 'test')], '0102')).to.deep.equal([0x0102]);
  });

  it('ends a text at the first NUL and shows "?" for bytes that are not UTF-8', () => {
    expect(decode([itemOf('1!400001.6', STRING)], '61006263ffff')).to.deep.equal(['a']);
    expect(decode([itemOf('1!400001.4', STRING)], '61ff6200')).to.deep.equal(['?']);
    expect(decode([itemOf('1!400001.4', STRING)], '00000000')).to.deep.equal(['']);
  });

  it('decodes bits of bytes and of registers, 0 being the lowest', () => {
    const coils = Array.from({ length: 10 }, (_, index) => itemOf(`1!0${index + 1}`, BIT, index));
    expect(decode(coils, 'cd01')).to.deep.equal([1, 0, 1, 1, 0, 0, 1, 1, 1, 0]);
    const bits = [0, 1, 8, 15].map((bit, index) => itemOf(`1!400001.${bit}`, BIT, index));
    expect(decode(bits, '8101')).to.deep.equal([1, 0, 1, 1]);
  });

  it('decodes neighbours, strangers and doubles of all types into their places', () => {
    const items = [
      itemOf('1!400001', INT16, 5),
      itemOf('1!400001', INT16, 0),
      itemOf('1!400002', INT16, 4),
      itemOf('1!400002', INT32, 1),
      itemOf('1!400003', INT16, 3),
      itemOf('1!400004', INT32, 2),
    ];
    expect(decode(items, '00010002000300040005')).to.deep.equal([1, 0x20003, 0x40005, 3, 2, 1]);
    expect(compileRows(items, 0)).to.have.length(3);
  });
});
