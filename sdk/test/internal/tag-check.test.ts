import { expect } from 'chai';
import { Attribute, DataType, ErrorCode, Fault, type TagDraft } from '../../src/index.ts';
import type { DriverPlugin } from '../../src/driver.ts';
import { checkTags } from '../../src/internal/runner/tag-check.ts';

const rules = {
  plugin: 'Meter',
  addresses: [
    { type: DataType.INT16, pattern: '^[0-9]+$' },
    { type: DataType.FLOAT, pattern: '^[0-9]+$' },
    { type: DataType.FLOAT, pattern: '^[a-z]+$' },
  ],
};

const tag: TagDraft = { name: 'level', address: '1', type: DataType.STRING, attribute: Attribute.READ };

const pluginWith = (checkTag: DriverPlugin['checkTag']): DriverPlugin => ({ checkTag }) as DriverPlugin;

describe('a tag of a type that its driver does not have', () => {
  it('is refused with this type and those that there are', () => {
    expect(
      checkTags(
        pluginWith(() => undefined),
        [tag],
        {},
        rules,
      )[0],
    ).to.include({
      code: ErrorCode.TAG_TYPE_UNSUPPORTED,
      message:
        'The tag "level" is of the type STRING, which the plugin "Meter" does not have; its types are INT16 and FLOAT.',
    });
    const unknown = checkTags(
      pluginWith(() => undefined),
      [{ ...tag, type: 99 as DataType }],
      {},
      rules,
    )[0];
    expect(unknown?.message).to.include('of the type 99,');
  });

  it("is refused with the driver's own sentence when that is about types", () => {
    const own = new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, 'A meter has numbers only.');
    expect(
      checkTags(
        pluginWith(() => own),
        [tag],
        {},
        rules,
      )[0]?.message,
    ).to.equal(own.message);
    const other = new Fault(ErrorCode.TAG_ADDRESS_INVALID, 'There is no such address.');
    const throws = (): never => {
      throw new Error('This type is not expected here.');
    };
    for (const check of [() => other, throws])
      expect(checkTags(pluginWith(check), [tag], {}, rules)[0]).to.have.property(
        'code',
        ErrorCode.TAG_TYPE_UNSUPPORTED,
      );
  });
});
