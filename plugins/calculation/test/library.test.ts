import { expect } from 'chai';
import { Attribute, DataType, ErrorCode } from '@tagway/sdk';
import { Library } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import manifest from '../plugin.json' with { type: 'json' };
import schema from '../settings.schema.json' with { type: 'json' };

const library = new Library<Settings>(plugin, manifest, schema);
const { READ, SUBSCRIBE, WRITE } = Attribute;
const x = 'tag("n/g/x")';

describe('the library', () => {
  it('is a driver with a valid manifest and settings schema', () => {
    library.expectValid();
  });

  it('needs no settings, and refuses those out of range', () => {
    expect(library.settings({})).to.deep.equal({ evaluate: 0, save_interval: 10 });
    library.expectRefused({}, [
      { evaluate: 2 },
      { save_interval: 0 },
      { save_interval: 3601 },
      { evaluate: 'on' },
    ]);
  });

  const tags: readonly (readonly [address: string, type: DataType, attribute: number, code: number])[] = [
    [`${x} + 1`, DataType.DOUBLE, READ | SUBSCRIBE, 0],
    [`${x} > 1`, DataType.BIT, READ, 0],
    [`${x} > 1`, DataType.DOUBLE, READ, ErrorCode.TAG_TYPE_UNSUPPORTED],
    ['2.5', DataType.BOOL, READ, ErrorCode.TAG_TYPE_UNSUPPORTED],
    ['"text"', DataType.INT16, READ, ErrorCode.TAG_TYPE_UNSUPPORTED],
    ['2.5', DataType.BYTES, READ, ErrorCode.TAG_TYPE_UNSUPPORTED],
    [`${x} +`, DataType.DOUBLE, READ, ErrorCode.TAG_ADDRESS_INVALID],
    [x, DataType.INT16, READ | WRITE, 0],
    [`scale(${x}, 0, 10, 0, -5.5)`, DataType.DOUBLE, READ | WRITE, 0],
    [`${x} + 1`, DataType.DOUBLE, READ | WRITE, ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED],
    [`scale(${x} + 1, 0, 10, 0, 5)`, DataType.DOUBLE, WRITE, ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED],
  ];
  for (const [address, type, attribute, code] of tags)
    it(`${address} of type ${type} with attribute ${attribute}: ${code}`, () => {
      const fault = library.definition.checkTag({ name: 't', address, type, attribute });
      expect(fault?.code ?? 0).to.equal(code);
      if (fault !== undefined) expect(fault.message).to.match(/^[A-Z].*\.$/);
    });
});
