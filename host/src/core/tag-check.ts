import { Attribute, DataType, ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { isNumeric } from '@tagway/sdk/internal';
import type { Tag, TagBody } from './model.ts';
import { byteLength } from './names.ts';
import { tagOf } from './records.ts';

export function isStatic(tag: Pick<Tag, 'attribute'>): boolean {
  return (tag.attribute & Attribute.STATIC) !== 0;
}

/** Whether apps and reads see the tag. */
export function isReadable(tag: Pick<Tag, 'attribute'>): boolean {
  return (tag.attribute & (Attribute.READ | Attribute.SUBSCRIBE | Attribute.STATIC)) !== 0;
}

/** Refuses a tag that no plugin could accept, with a sentence that names it; undefined when the plugin is to be asked. */
export function checkTag(tag: TagBody): Fault | undefined {
  const { precision, decimal, bias, description } = tagOf(0, tag);
  const refuse = (code: number, problem: string): Fault =>
    new Fault(code, `The tag "${tag.name.slice(0, Limits.tagName)}" ${problem}`);
  const tooLong = (field: string, text: string, most: number): string =>
    `has ${field} of ${byteLength(text)} bytes of UTF-8; ${most} are allowed.`;
  if (byteLength(tag.name) > Limits.tagName)
    return refuse(ErrorCode.TAG_NAME_TOO_LONG, tooLong('a name', tag.name, Limits.tagName));
  if (byteLength(tag.address) > Limits.tagAddress)
    return refuse(ErrorCode.TAG_ADDRESS_TOO_LONG, tooLong('an address', tag.address, Limits.tagAddress));
  if (byteLength(description) > Limits.tagDescription) {
    return refuse(
      ErrorCode.TAG_DESCRIPTION_TOO_LONG,
      tooLong('a description', description, Limits.tagDescription),
    );
  }
  if (!Number.isInteger(precision) || precision < 0 || precision > Limits.precision) {
    return refuse(
      ErrorCode.TAG_PRECISION_INVALID,
      `has a precision of ${precision}; it is an integer of 0 to ${Limits.precision}.`,
    );
  }
  if (!Number.isFinite(decimal))
    return refuse(ErrorCode.TAG_DECIMAL_INVALID, `has a decimal of ${decimal}; it must be a finite number.`);
  if (decimal !== 0 && tag.type === DataType.STRING)
    return refuse(
      ErrorCode.TAG_DECIMAL_INVALID,
      `has a decimal of ${decimal} and is a STRING, which has none; leave it out.`,
    );
  if (!Number.isFinite(bias) || (bias !== 0 && !isNumeric(tag.type))) {
    return refuse(
      ErrorCode.TAG_BIAS_INVALID,
      `has a bias of ${bias}; it must be a finite number, and 0 unless the type is numeric.`,
    );
  }
  const known = Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE | Attribute.STATIC;
  const reportsOnChange = (tag.attribute & Attribute.SUBSCRIBE) !== 0;
  if ((tag.attribute & ~known) !== 0 || (isStatic(tag) && reportsOnChange)) {
    return refuse(
      ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
      `has the attribute ${tag.attribute}; it is a sum of 1 (read), 2 (write), 4 (subscribe) and 8 (static), and static tags cannot be subscribed to.`,
    );
  }
  return undefined;
}
