import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, isFault } from '@tagway/sdk';
import { checkTag, parseAddress } from '../src/address.ts';

const tag = (address: string, type: DataType, attribute: number = Attribute.READ) => ({
  name: 'tag',
  address,
  type,
  attribute,
});

describe('addresses', () => {
  it('name an area by the code of its words', () => {
    const codes: readonly (readonly [string, number, number])[] = [
      ['CIO0', 0xb0, 0],
      ['W511', 0xb1, 511],
      ['H12', 0xb2, 12],
      ['A447', 0xb3, 447],
      ['D32767', 0x82, 32_767],
      ['P4095', 0x89, 4095],
      ['EM0W100', 0xa0, 100],
      ['EMFW100', 0xaf, 100],
      ['EM10W100', 0x60, 100],
      ['EM18W0', 0x68, 0],
    ];
    for (const [address, area, start] of codes)
      expect(parseAddress(address, DataType.UINT16), address).to.include({ area, start, end: start + 1 });
  });

  it('number counters behind the timers', () => {
    expect(parseAddress('P4096', DataType.UINT16)).to.include({ area: 0x89, start: 0x8000, end: 0x8001 });
    expect(parseAddress('P8191', DataType.UINT16)).to.include({ start: 0x8fff, end: 0x9000 });
    expect(parseAddress('F4097', DataType.UINT8)).to.include({ area: 0x09, start: 0x8001 });
    for (const address of ['P4095', 'P8191'])
      expect(parseAddress(address, DataType.UINT32), address).to.have.property(
        'code',
        ErrorCode.TAG_ADDRESS_INVALID,
      );
  });

  it('take as many words as their type needs', () => {
    expect(parseAddress('D10', DataType.FLOAT)).to.include({ start: 10, end: 12 });
    expect(parseAddress('D10', DataType.INT64)).to.include({ start: 10, end: 14 });
    expect(parseAddress('D10.5', DataType.BIT)).to.include({ start: 10, end: 11, bit: 5 });
    expect(parseAddress('D10.05', DataType.BIT)).to.include({ bit: 5 });
    expect(parseAddress('D10.5', DataType.STRING)).to.include({
      start: 10,
      end: 13,
      length: 5,
      highFirst: true,
    });
    expect(parseAddress('D10.6L', DataType.STRING)).to.include({ end: 13, length: 6, highFirst: false });
  });

  it('are refused with the code for what is wrong and a sentence', () => {
    const wrong: readonly (readonly [string, DataType, number])[] = [
      ['D100', DataType.BOOL, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['D100', DataType.BYTES, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['D100', DataType.UINT8, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['F100', DataType.UINT16, ErrorCode.TAG_TYPE_UNSUPPORTED],
      ['D', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['D-1', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['D65536', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['D65535', DataType.INT32, ErrorCode.TAG_ADDRESS_INVALID],
      ['D 100', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['d100', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['EMW100', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['EM19W100', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['D100', DataType.BIT, ErrorCode.TAG_ADDRESS_INVALID],
      ['D100.16', DataType.BIT, ErrorCode.TAG_ADDRESS_INVALID],
      ['D100.005', DataType.BIT, ErrorCode.TAG_ADDRESS_INVALID],
      ['D100.1', DataType.INT16, ErrorCode.TAG_ADDRESS_INVALID],
      ['D100', DataType.STRING, ErrorCode.TAG_ADDRESS_INVALID],
      ['D100.0', DataType.STRING, ErrorCode.TAG_ADDRESS_INVALID],
      ['D100.10D', DataType.STRING, ErrorCode.TAG_ADDRESS_INVALID],
    ];
    for (const [address, type, code] of wrong) {
      const fault = checkTag(tag(address, type));
      if (!isFault(fault)) throw new Error(`${address} was accepted.`);
      expect(fault.code, address).to.equal(code);
      expect(fault.message, address).to.match(/^[A-Z].*\.$/);
    }
  });

  it('with a length of too many digits are answered with the lengths that there are', () => {
    expect(checkTag(tag('D100.1000', DataType.STRING))?.message).to.match(/a length from 1 to 999 bytes/);
    expect(checkTag(tag('D100.1000', DataType.BIT))?.message).to.match(/a bit number from 0 to 15/);
  });

  it('are refused for writing where nothing can be written', () => {
    const write = Attribute.READ | Attribute.WRITE;
    for (const [address, type] of [
      ['A100', DataType.INT16],
      ['A100.1', DataType.BIT],
      ['F1', DataType.UINT8],
      ['P1.3', DataType.BIT],
    ] as const) {
      expect(checkTag(tag(address, type)), address).to.equal(undefined);
      expect(checkTag(tag(address, type, write))?.code, address).to.equal(
        ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
      );
    }
    for (const [address, type] of [
      ['P1', DataType.INT16],
      ['D1.3', DataType.BIT],
      ['CIO1', DataType.FLOAT],
    ] as const)
      expect(checkTag(tag(address, type, write)), address).to.equal(undefined);
  });
});
