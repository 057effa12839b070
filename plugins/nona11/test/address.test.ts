import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, isFault } from '@tagway/sdk';
import { checkTag, parseAddress } from '../src/address.ts';

function codeOf(address: string, type: DataType, attribute: number = Attribute.READ): number {
  return checkTag({ name: 'tag', address, type, attribute })?.code ?? 0;
}

describe('addresses', () => {
  it('are site, command and offset, with a length for texts', () => {
    expect(parseAddress('5!3!10', DataType.UINT32)).to.deep.equal({
      site: 5,
      command: 3,
      start: 10,
      end: 14,
    });
    expect(parseAddress('3!0', DataType.INT16)).to.deep.equal({
      site: undefined,
      command: 3,
      start: 0,
      end: 2,
    });
    expect(parseAddress('3!7.20', DataType.STRING)).to.deep.include({ start: 7, end: 27 });
  });

  it('are refused with a sentence when they are none', () => {
    const numbers = [
      '',
      '3',
      '3!',
      '!3!0',
      '1!2!3!4',
      '3!100000',
      '256!3!0',
      '1!128!0',
      '3!0.2',
      '3!-1',
      'a!3!0',
      ' 3!0',
    ];
    for (const address of numbers) {
      expect(codeOf(address, DataType.UINT16), address).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      const fault = parseAddress(address, DataType.UINT16);
      expect(isFault(fault) && fault.message, address).to.match(/^The address ".*" is invalid\. [A-Z].*\.$/);
    }
    for (const address of ['3!0', '3!0.0', '3!0.', '3!0.100000'])
      expect(codeOf(address, DataType.STRING), address).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
  });

  it('have six types, and are never written', () => {
    const good: readonly DataType[] = [
      DataType.INT16,
      DataType.UINT16,
      DataType.INT32,
      DataType.UINT32,
      DataType.FLOAT,
    ];
    for (const type of Object.values(DataType)) {
      if (type === DataType.STRING) continue;
      expect(codeOf('3!0', type), `type ${type}`).to.equal(
        good.includes(type) ? 0 : ErrorCode.TAG_TYPE_UNSUPPORTED,
      );
    }
    expect(codeOf('3!0.4', DataType.STRING)).to.equal(0);
    expect(codeOf('3!0', DataType.INT16, Attribute.READ | Attribute.WRITE)).to.equal(
      ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
    );
  });
});
