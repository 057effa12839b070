import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, isFault } from '@tagway/sdk';
import { Area, checkTag, Kind, parseAddress, type Address } from '../src/address.ts';

const { BIT, BOOL, BYTES, DOUBLE, FLOAT, INT16, INT32, INT64, INT8, STRING, UINT16, UINT32, UINT64, UINT8 } =
  DataType;

describe('addresses', () => {
  const good: readonly (readonly [string, DataType, Partial<Address>])[] = [
    ['I0', INT8, { area: Area.INPUT, start: 0, size: 1, kind: Kind.INT8 }],
    ['Q10', UINT16, { area: Area.OUTPUT, start: 10, size: 2 }],
    ['O10', UINT16, { area: Area.OUTPUT, start: 10 }],
    ['M20.7', BIT, { area: Area.FLAG, start: 20, bit: 7, size: 1, kind: Kind.BIT }],
    ['F20.0', BOOL, { area: Area.FLAG, kind: Kind.BIT }],
    ['T5', UINT32, { area: Area.TIMER, start: 5, size: 1, kind: Kind.TIMER }],
    ['T5', FLOAT, { kind: Kind.TIMER_SECONDS }],
    ['C12', INT16, { area: Area.COUNTER, start: 12, size: 1, kind: Kind.COUNTER }],
    ['DB1.DBW10', FLOAT, { area: Area.DATA_BLOCK, db: 1, start: 10, size: 4 }],
    ['DB65535.DBW65528', DOUBLE, { db: 65_535, start: 65_528, size: 8 }],
    ['DB2.DBW1.0', BIT, { db: 2, start: 1, bit: 0 }],
    ['DB2.DBW3', INT32, { size: 4 }],
    ['DB1.DBW12.20', STRING, { length: 20, size: 22, kind: Kind.TEXT }],
    ['DB1.DBW12.254', STRING, { size: 256 }],
    ['DB1.DBW12.20D', STRING, { length: 20, size: 44, kind: Kind.WIDE_TEXT }],
    ['DB1.DBW12.16382D', STRING, { size: 32_768 }],
    ['DB1.DBW12.8', BYTES, { length: 8, size: 8, kind: Kind.BYTES }],
  ];
  for (const [text, type, parts] of good) {
    it(`${text} of type ${type} is accepted`, () => {
      expect(parseAddress(text, type)).to.include(parts);
      expect(checkTag({ name: 'tag', address: text, type, attribute: Attribute.READ })).to.equal(undefined);
    });
  }

  const { TAG_ADDRESS_INVALID, TAG_TYPE_UNSUPPORTED } = ErrorCode;
  const bad: readonly (readonly [string, DataType, number])[] = [
    ['', INT16, TAG_ADDRESS_INVALID],
    ['M', INT16, TAG_ADDRESS_INVALID],
    ['m1', INT16, TAG_ADDRESS_INVALID],
    ['X1', INT16, TAG_ADDRESS_INVALID],
    ['M123456', INT16, TAG_ADDRESS_INVALID],
    ['M65536', UINT8, TAG_ADDRESS_INVALID],
    ['M65535', INT16, TAG_ADDRESS_INVALID],
    ['M1.0', INT16, TAG_ADDRESS_INVALID],
    ['M1', BIT, TAG_ADDRESS_INVALID],
    ['M1.8', BIT, TAG_ADDRESS_INVALID],
    ['M1', DOUBLE, TAG_TYPE_UNSUPPORTED],
    ['M1.20', STRING, TAG_TYPE_UNSUPPORTED],
    ['M1.20', BYTES, TAG_TYPE_UNSUPPORTED],
    ['T1', INT16, TAG_TYPE_UNSUPPORTED],
    ['T1.0', INT32, TAG_ADDRESS_INVALID],
    ['C1', INT32, TAG_TYPE_UNSUPPORTED],
    ['DB70000.DBW1', INT16, TAG_ADDRESS_INVALID],
    ['DB1.DBX1.0', BIT, TAG_ADDRESS_INVALID],
    ['DB1.DBW1', INT64, TAG_TYPE_UNSUPPORTED],
    ['DB1.DBW1', UINT64, TAG_TYPE_UNSUPPORTED],
    ['DB1.DBW1', STRING, TAG_ADDRESS_INVALID],
    ['DB1.DBW1.0', STRING, TAG_ADDRESS_INVALID],
    ['DB1.DBW1.255', STRING, TAG_ADDRESS_INVALID],
    ['DB1.DBW1.16383D', STRING, TAG_ADDRESS_INVALID],
    ['DB1.DBW1.1000', BYTES, TAG_ADDRESS_INVALID],
    ['DB1.DBW1.8D', BYTES, TAG_ADDRESS_INVALID],
    ['DB1.DBW65000.999', BYTES, TAG_ADDRESS_INVALID],
  ];
  for (const [text, type, code] of bad) {
    it(`"${text}" of type ${type} is refused with ${code} and a sentence`, () => {
      const fault = checkTag({ name: 'tag', address: text, type, attribute: Attribute.READ });
      expect(fault?.code).to.equal(code);
      expect(fault?.message).to.match(/^[A-Z].{15,}\.$/);
    });
  }

  it('areas that are not there are answered with those that are', () => {
    for (const address of ['MW10', 'V100', 'E0', 'DB1.DBX1.0', 'DB1', '']) {
      const fault = checkTag({ name: 'tag', address, type: INT16, attribute: Attribute.READ });
      expect(fault?.message, address).to.match(
        /inputs I, outputs O or Q, flags F or M, timers T, counters C and data blocks .*such as M10, M10\.3, DB1\.DBW10/,
      );
    }
  });

  it('inputs cannot be written', () => {
    const tag = { name: 'door', address: 'I1.0', type: BIT };
    expect(checkTag({ ...tag, attribute: Attribute.READ })).to.equal(undefined);
    const fault = checkTag({ ...tag, attribute: Attribute.READ | Attribute.WRITE });
    expect(fault?.code).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
    expect(fault?.message).to.include('door');
    for (const address of ['Q1', 'M1', 'DB1.DBW1'])
      expect(checkTag({ name: 'tag', address, type: UINT8, attribute: Attribute.WRITE })).to.equal(undefined);
    expect(
      isFault(checkTag({ name: 'tag', address: 'C1', type: UINT16, attribute: Attribute.WRITE })),
    ).to.equal(false);
  });
});
