import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, isFault } from '@tagway/sdk';
import { checkTag, parseAddress } from '../src/address.ts';

function codeOf(
  address: string,
  type: DataType = DataType.UINT32,
  attribute: number = Attribute.READ,
): number {
  return checkTag({ name: 'tag', address, type, attribute })?.code ?? 0;
}

describe('addresses', () => {
  it('name a meter, an item, a part of it and the time of occurrence', () => {
    const parse = (address: string): unknown => parseAddress(address, DataType.STRING);
    expect(parse('02-01-01-00')).to.deep.equal({
      meter: undefined,
      identifier: 0x02_01_01_00,
      part: 0,
      isTime: false,
    });
    expect(parse('04-00-01-01#0'), 'the plain address').to.deep.equal(parse('04-00-01-01'));
    expect(parse('05-06-01-01#0')).to.deep.equal(parse('05-06-01-01'));
    expect(parse('1#fF-01-01-0a')).to.deep.include({ meter: '000000000001', identifier: 0xff_01_01_0a });
    expect(parse('123456789012#05-06-09-01#12#T')).to.deep.equal({
      meter: '123456789012',
      identifier: 0x05_06_09_01,
      part: 12,
      isTime: true,
    });
  });

  it('are refused with a sentence when they are wrong', () => {
    const wrong = [
      '',
      '02-01-01',
      '02-01-01-00-00',
      '02010100',
      '2-1-1-0',
      '0G-01-01-00',
      '1234567890123#02-01-01-00',
      '999999999999#02-01-01-00',
      'A#02-01-01-00',
      '#02-01-01-00',
      '02-01-01-00#',
      '05-06-01-01#100',
      '02-01-01-00#T',
      '05-06-01-01#T#1',
      '04-00-01-01#1',
      '04-00-04-03#1',
      ' 02-01-01-00',
    ];
    for (const address of wrong) {
      expect(codeOf(address), address).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      const fault = parseAddress(address, DataType.UINT32);
      expect(isFault(fault) && fault.message, address).to.match(/^The address ".*" is invalid\. [A-Z].*\.$/);
    }
  });

  it('have whole numbers and texts', () => {
    const { FLOAT, DOUBLE, BIT, BOOL, BYTES } = DataType;
    const bad: readonly DataType[] = [FLOAT, DOUBLE, BIT, BOOL, BYTES];
    for (const type of Object.values(DataType))
      expect(codeOf('02-01-01-00', type), `type ${type}`).to.equal(
        bad.includes(type) ? ErrorCode.TAG_TYPE_UNSUPPORTED : 0,
      );
  });

  it('are never written', () => {
    for (const attribute of [Attribute.WRITE, Attribute.READ | Attribute.WRITE])
      expect(codeOf('02-01-01-00', DataType.UINT16, attribute)).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
    expect(codeOf('02-01-01-00', DataType.UINT16, Attribute.READ | Attribute.SUBSCRIBE)).to.equal(0);
  });
});
