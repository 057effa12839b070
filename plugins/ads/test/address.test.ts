import { Attribute, DataType, ErrorCode, isFault } from '@tagway/sdk';
import { expect } from 'chai';
import { checkTag, parseAddress } from '../src/address.ts';

const checked = (address: string, type: DataType) =>
  checkTag({ name: 'tag', address, type, attribute: Attribute.READ });

describe('an address', () => {
  it('names a place in decimal or hexadecimal numbers', () => {
    const place = { kind: 'place', group: 0x4020, offset: 500, size: 4 };
    for (const text of ['0x4020,500', '16416,0x1F4', '0X4020,0x1f4'])
      expect(parseAddress(text, DataType.FLOAT), text).to.deep.equal(place);
    expect(parseAddress('0xF030,4294967295.80', DataType.STRING)).to.deep.equal({
      kind: 'place',
      group: 0xf030,
      offset: 0xffff_ffff,
      size: 80,
    });
  });

  it('names a variable of the program', () => {
    for (const name of ['MAIN.speed', '.old', 'GVL.a[3].b', 'A.m[1,-2,3]', 'MAIN.p^.x', '_x', 'single'])
      expect(parseAddress(name, DataType.INT16), name).to.deep.equal({ kind: 'symbol', name });
  });

  it('is refused with a sentence that says what is expected', () => {
    const wrong: readonly (readonly [address: string, DataType, sentence: RegExp])[] = [
      ['0x4020', DataType.INT16, /neither INDEX_GROUP,INDEX_OFFSET nor the name/],
      ['0x4020,', DataType.INT16, /neither/],
      ['0x4020,1.4', DataType.INT16, /length, which only a STRING or BYTES tag has/],
      ['0x4020,1', DataType.STRING, /needs a length from 1 to 65535/],
      ['0x4020,1.0', DataType.BYTES, /neither/],
      ['0x4020,1.65536', DataType.STRING, /needs a length/],
      ['4294967296,1', DataType.INT16, /above 4294967295/],
      ['1,4294967296', DataType.INT16, /above 4294967295/],
      ['MAIN.', DataType.INT16, /neither/],
      ['MAIN.3', DataType.INT16, /neither/],
      ['MAIN.a[]', DataType.INT16, /neither/],
      ['MAIN.a[1,2,3,4]', DataType.INT16, /neither/],
      ['', DataType.STRING, /INDEX_OFFSET\.LENGTH/],
    ];
    for (const [address, type, sentence] of wrong) {
      const fault = checked(address, type);
      expect(fault?.code, address).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      expect(fault?.message, address).to.match(sentence);
    }
    const bit = parseAddress('0x4020,1', DataType.BIT);
    expect(isFault(bit) && bit.code).to.equal(ErrorCode.TAG_TYPE_UNSUPPORTED);
    expect(isFault(bit) && bit.message).to.match(/BOOL/);
  });
});
