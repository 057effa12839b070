import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, isFault } from '@tagway/sdk';
import { checkTag, parseAddress } from '../src/address.ts';
import { objectOf } from '../src/properties.ts';

function codeOf(address: string, type: DataType, attribute: number = Attribute.READ): number | undefined {
  return checkTag({ name: 'tag', address, type, attribute })?.code;
}

describe('an address', () => {
  it('names object, property, element and priority', () => {
    const parsed = (address: string): unknown => {
      const { object, property, index, priority, isRelinquish } = parseAddress(address) as never;
      return [object, property, index, priority, isRelinquish];
    };
    expect(parsed('AI3')).to.deep.equal([objectOf(0, 3), 85, undefined, undefined, false]);
    expect(parsed('BV4194303.Out_Of_Service')).to.deep.equal([
      objectOf(5, 4_194_303),
      81,
      undefined,
      undefined,
      false,
    ]);
    expect(parsed('MSV2.State_Text[1]')).to.deep.equal([objectOf(19, 2), 110, 1, undefined, false]);
    expect(parsed('AO1.NULL@8')).to.deep.equal([objectOf(1, 1), 85, undefined, 8, true]);
    expect(parsed('DEV9.custom.70000')).to.deep.equal([objectOf(8, 9), 70_000, undefined, undefined, false]);
    expect(parsed('ACC1.scale@16')).to.deep.equal([objectOf(23, 1), 187, undefined, 16, false]);
  });

  it('may be misspelt as manuals have it', () => {
    for (const [spelling, property] of [
      ['Object_Tyep', 79],
      ['Max_Info_Frame', 63],
      ['APUD_Timeout', 11],
    ] as const)
      expect(parseAddress(`DEV1.${spelling}`)).to.include({ property });
  });

  it('is refused with a sentence when it is wrong', () => {
    const wrong = [
      ...['', 'A1', 'AI', 'AI 1', 'AI-1', 'AI4194304', 'AI12345678', 'AI1.', 'AI1.Nothing', 'AI1.custom'],
      ...[
        'AI1.custom.',
        'AI1.custom.4194304',
        'AI1[]',
        'AI1[a]',
        'AI1@0',
        'AI1@17',
        'DEV1',
        'AI1.NULL',
        'DEV1.NULL',
      ],
    ];
    for (const address of wrong) {
      const fault = parseAddress(address);
      if (!isFault(fault)) throw new Error(`"${address}" is taken for an address.`);
      expect(fault.code, address).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      expect(fault.message, address).to.match(/^[A-Z].*\.$/);
    }
  });

  it('takes the types and attributes that its object has', () => {
    expect(codeOf('AI1', DataType.FLOAT)).to.equal(undefined);
    expect(codeOf('AI1', DataType.UINT16)).to.equal(ErrorCode.TAG_TYPE_UNSUPPORTED);
    expect(codeOf('BI1', DataType.BIT)).to.equal(undefined);
    expect(codeOf('BI1', DataType.STRING)).to.equal(ErrorCode.TAG_TYPE_UNSUPPORTED);
    expect(codeOf('MSV1', DataType.BOOL)).to.equal(ErrorCode.TAG_TYPE_UNSUPPORTED);
    expect(codeOf('AI1.Units', DataType.STRING)).to.equal(undefined);
    expect(codeOf('AI1', DataType.FLOAT, Attribute.WRITE)).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
    expect(codeOf('AO1', DataType.FLOAT, Attribute.WRITE)).to.equal(undefined);
    expect(codeOf('AO1.NULL', DataType.FLOAT, Attribute.WRITE)).to.equal(undefined);
    expect(codeOf('AO1.NULL', DataType.FLOAT)).to.equal(ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED);
  });
});
