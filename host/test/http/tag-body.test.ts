import { DataType, ErrorCode, type TagInput, Attribute } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import { tagDefaults } from '../../src/core/model.ts';
import { tagOf } from '../../src/core/records/records.ts';
import { tagBody } from '../../src/http/body/tag-body.ts';

const input: TagInput = { name: 'a', address: '', attribute: Attribute.READ, type: 3 };

function codeOf(tag: TagInput): number {
  try {
    tagBody(tag);
    return 0;
  } catch (error) {
    return isFault(error) ? error.code : -1;
  }
}

describe('a tag of a request', () => {
  it('becomes a tag with what it leaves out, and without what nobody knows', () => {
    const body = tagBody({ ...input, decimal: null, colour: 'red' } as TagInput);
    expect(tagOf(7, body)).to.deep.equal({ id: 7, ...input, ...tagDefaults });
  });

  it('may call its precision "precison"', () => {
    expect(tagBody({ ...input, precison: 3 }).precision).to.equal(3);
    expect(tagBody({ ...input, precison: 3, precision: 2 }).precision).to.equal(2);
  });

  it('may have the types 16 to 18 for the unsigned integers', () => {
    const types = [16, 17, 18].map((type) => tagBody({ ...input, type }).type);
    expect(types).to.deep.equal([DataType.UINT16, DataType.UINT32, DataType.UINT64]);
  });

  const good: [type: DataType, value: NonNullable<TagInput['value']>][] = [
    [DataType.INT8, -128],
    [DataType.UINT16, 65535],
    [DataType.INT64, -(2n ** 63n)],
    [DataType.UINT64, 2n ** 64n - 1n],
    [DataType.UINT64, 5],
    [DataType.FLOAT, 1],
    [DataType.DOUBLE, 1.5],
    [DataType.BIT, 1],
    [DataType.BOOL, true],
    [DataType.STRING, 'x'.repeat(127)],
    [DataType.BYTES, [0, 255]],
  ];
  for (const [type, value] of good) {
    it(`may be static with ${String(value).slice(0, 20)} for type ${type}`, () => {
      expect(tagBody({ ...input, attribute: Attribute.STATIC, type, value }).value).to.equal(value);
    });
  }

  const bad: [type: number, value: TagInput['value']][] = [
    [DataType.INT8, 128],
    [DataType.UINT16, -1],
    [DataType.INT16, 1.5],
    [DataType.INT16, '1'],
    [DataType.UINT64, 2n ** 64n],
    [DataType.FLOAT, 1e39],
    [DataType.FLOAT, '1'],
    [DataType.BIT, 2],
    [DataType.BIT, true],
    [DataType.BOOL, 1],
    [DataType.STRING, 1],
    [DataType.STRING, 'x'.repeat(128)],
    [DataType.BYTES, [256]],
    [DataType.BYTES, 'ab'],
    [99, 1],
    [DataType.INT8, undefined],
  ];
  for (const [type, value] of bad) {
    it(`may not be static with ${String(value).slice(0, 20)} for type ${type}`, () => {
      const tag = { ...input, attribute: Attribute.WRITE | Attribute.STATIC, type };
      expect(codeOf(value === undefined ? tag : { ...tag, value })).to.equal(ErrorCode.BODY_INVALID);
    });
  }

  it('may not have a value when it is not static', () => {
    expect(codeOf({ ...input, attribute: Attribute.READ | Attribute.WRITE, value: 1 })).to.equal(
      ErrorCode.BODY_INVALID,
    );
  });
});
