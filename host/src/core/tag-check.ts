import { Attribute, ErrorCode, Limits } from '@tagway/schemas';
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

/** Refuses, with the code, a tag that no plugin could accept; 0 when the plugin is to be asked. */
export function checkTag(tag: TagBody): number {
  const { precision, decimal, bias, description } = tagOf(0, tag);
  if (byteLength(tag.name) > Limits.tagName) return ErrorCode.TAG_NAME_TOO_LONG;
  if (byteLength(tag.address) > Limits.tagAddress) return ErrorCode.TAG_ADDRESS_TOO_LONG;
  if (byteLength(description) > Limits.tagDescription) return ErrorCode.TAG_DESCRIPTION_TOO_LONG;
  if (!Number.isInteger(precision) || precision < 0 || precision > Limits.precision)
    return ErrorCode.TAG_PRECISION_INVALID;
  if (!Number.isFinite(decimal)) return ErrorCode.TAG_DECIMAL_INVALID;
  if (!Number.isFinite(bias) || (bias !== 0 && !isNumeric(tag.type))) return ErrorCode.TAG_BIAS_INVALID;
  const known = Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE | Attribute.STATIC;
  const reportsOnChange = (tag.attribute & Attribute.SUBSCRIBE) !== 0;
  if ((tag.attribute & ~known) !== 0 || (isStatic(tag) && reportsOnChange))
    return ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED;
  return 0;
}
