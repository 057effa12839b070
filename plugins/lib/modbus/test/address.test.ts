import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, isFault } from '@tagway/sdk';
import { Area, checkTag, parseAddress, startOf } from '../src/address.ts';

const { INT16, UINT16, INT32, FLOAT, INT64, DOUBLE, BIT, STRING, BYTES, INT8, UINT8, BOOL } = DataType;

describe('Modbus addresses', () => {
  const good: readonly (readonly [address: string, type: DataType, expected: object])[] = [
    ['1!400001', INT16, { unit: 1, area: Area.HOLDING_REGISTER, number: 1, count: 1 }],
    ['1!40001', INT16, { unit: 1, area: Area.HOLDING_REGISTER, number: 1, count: 1 }],
    ['1!41', INT16, { area: Area.HOLDING_REGISTER, number: 1 }],
    ['0!465536', UINT16, { unit: 0, number: 65_536 }],
    ['255!300100#B', UINT16, { unit: 255, area: Area.INPUT_REGISTER, number: 100, order: [1, 0] }],
    ['1!400001', INT32, { count: 2, order: undefined }],
    ['1!400001#LL', FLOAT, { count: 2, order: [0, 1, 2, 3] }],
    ['1!400001#LB', FLOAT, { order: [1, 0, 3, 2] }],
    ['1!400001#BL', FLOAT, { order: [2, 3, 0, 1] }],
    ['1!400001#BB', FLOAT, { order: [3, 2, 1, 0] }],
    ['1!400001#L', INT64, { count: 4, order: [0, 1, 2, 3, 4, 5, 6, 7] }],
    ['1!400001#B', DOUBLE, { count: 4, order: [7, 6, 5, 4, 3, 2, 1, 0] }],
    ['1!400001#BL', DOUBLE, { order: [6, 7, 4, 5, 2, 3, 0, 1] }],
    ['1!400001#WS', DOUBLE, { order: [2, 3, 0, 1, 6, 7, 4, 5] }],
    ['1!400001#WR', DOUBLE, { order: [4, 5, 6, 7, 0, 1, 2, 3] }],
    ['1!000010', BIT, { area: Area.COIL, number: 10, count: 1 }],
    ['1!100010', BIT, { area: Area.DISCRETE_INPUT, number: 10, count: 1 }],
    ['1!400010', BIT, { area: Area.HOLDING_REGISTER, number: 10, bit: 0, count: 1 }],
    ['1!400010.15', BIT, { area: Area.HOLDING_REGISTER, bit: 15, count: 1 }],
    ['1!300010.07', BIT, { area: Area.INPUT_REGISTER, bit: 7 }],
    ['1!400001.1', STRING, { length: 1, count: 1, layout: 'H' }],
    ['1!400001.127L', STRING, { length: 127, count: 64, layout: 'L' }],
    ['1!400001.125D', STRING, { length: 125, count: 125, layout: 'D' }],
    ['1!400001.20E', STRING, { length: 20, count: 20, layout: 'E' }],
    ['1!400001.128', BYTES, { length: 128, count: 64 }],
    ['1!465535', INT32, { number: 65_535, count: 2 }],
  ];
  for (const [address, type, expected] of good) {
    it(`${address} of type ${type}`, () => {
      const parsed = parseAddress(address, type);
      expect(isFault(parsed)).to.equal(false);
      expect(parsed).to.deep.include(expected);
    });
  }

  const bad: readonly (readonly [address: string, type: DataType, code: number])[] = [
    ['', INT16, 2205],
    ['400001', INT16, 2205],
    ['1!', INT16, 2205],
    ['1!4', INT16, 2205],
    ['256!400001', INT16, 2205],
    ['1!200001', INT16, 2205],
    ['1!465537', INT16, 2205],
    ['1!465536', INT32, 2205],
    ['1!400001#X', INT16, 2205],
    ['1!400001#LL', INT16, 2205],
    ['1!400001#WS', INT32, 2205],
    ['1!400001.3', INT16, 2205],
    ['1!400001 ', INT16, 2205],
    ['1!400001\n', INT16, 2205],
    ['1!400001.16', BIT, 2205],
    ['1!000001.1', BIT, 2205],
    ['1!400001', STRING, 2205],
    ['1!400001.0', STRING, 2205],
    ['1!400001.128', STRING, 2205],
    ['1!400001.126D', STRING, 2205],
    ['1!400001.10#LL', STRING, 2205],
    ['1!400001.3', BYTES, 2205],
    ['1!400001.130', BYTES, 2205],
    ['1!400001.4H', BYTES, 2205],
    ['1!000001', INT16, 2204],
    ['1!100001.4', STRING, 2204],
    ['1!400001', INT8, 2204],
    ['1!400001', UINT8, 2204],
    ['1!400001', BOOL, 2204],
  ];
  for (const [address, type, code] of bad) {
    it(`${JSON.stringify(address)} of type ${type} is ${code}`, () => {
      const parsed = parseAddress(address, type);
      expect(isFault(parsed) && parsed.code).to.equal(code);
    });
  }

  it('counts from the base that the node asks for, and stays within 0 to 65535', () => {
    const starts = (text: string) => [0, 1].map((base) => startOf(parse(text), base));
    expect(starts('1!400001')).to.deep.equal([1, 0]);
    expect(starts('1!400000')).to.deep.equal([0, 0]);
    expect(starts('1!465536')).to.deep.equal([65_535, 65_535]);
  });

  it('may be written where Modbus can write: coils, and holding registers as a whole', () => {
    const code = (address: string, type: DataType, attribute: number) =>
      checkTag({ name: 'tag', address, type, attribute })?.code;
    const both = Attribute.READ | Attribute.WRITE;
    expect(code('1!000001', BIT, both)).to.equal(undefined);
    expect(code('1!400001', INT16, both)).to.equal(undefined);
    expect(code('1!100001', BIT, both)).to.equal(2203);
    expect(code('1!300001', INT16, Attribute.WRITE)).to.equal(2203);
    expect(code('1!400001.3', BIT, both)).to.equal(2203);
    expect(code('1!400001.3', BIT, Attribute.READ)).to.equal(undefined);
    expect(code('nonsense', INT16, both)).to.equal(2205);
  });

  it('are read-only as a bit without a number, and that is reported before what else is wrong', () => {
    const code = (address: string, type: DataType, attribute: number) =>
      checkTag({ name: 'tag', address, type, attribute })?.code;
    const both = Attribute.READ | Attribute.WRITE;
    for (const area of ['3', '4']) {
      expect(code(`1!${area}00001`, BIT, Attribute.READ)).to.equal(undefined);
      expect(code(`1!${area}00001`, BIT, both)).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
      expect(code(`1!${area}00001.16`, BIT, both)).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
      expect(code(`1!${area}00001.16`, BIT, Attribute.READ)).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    }
    expect(code('1!365537', INT16, both)).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
    expect(code('1!100001', INT16, both)).to.equal(ErrorCode.TAG_TYPE_UNSUPPORTED);
  });
});

function parse(text: string) {
  const address = parseAddress(text, INT16);
  if (isFault(address)) throw address;
  return address;
}
