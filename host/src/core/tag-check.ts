import { Attribute, ErrorCode, Limits } from '@tagway/schemas';
import type { DataType } from '@tagway/schemas';
import type { JsonValue } from '@tagway/sdk';
import { isNumeric } from '@tagway/sdk';
import type { Tag } from './model.ts';
import { byteLength } from './names.ts';

/** A tag as clients send it; members left out have their default value. */
export interface TagBody {
  readonly name: string;
  readonly address: string;
  /** Flags of `Attribute`. */
  readonly attribute: number;
  readonly type: DataType;
  /** Default 0. */
  readonly precision?: number;
  /** Default 0: no factor. */
  readonly decimal?: number;
  /** Default 0. */
  readonly bias?: number;
  /** Default empty. */
  readonly description?: string;
  /** Of a static tag, and only of one. */
  readonly value?: JsonValue;
}

export function isStatic(tag: Pick<Tag, 'attribute'>): boolean {
  return (tag.attribute & Attribute.STATIC) !== 0;
}

/** Whether apps and reads see the tag. */
export function isReadable(tag: Pick<Tag, 'attribute'>): boolean {
  return (tag.attribute & (Attribute.READ | Attribute.SUBSCRIBE | Attribute.STATIC)) !== 0;
}

/** Refuses, with the code, a tag that no plugin could accept; 0 when the plugin is to be asked. */
export function checkTag(tag: TagBody): number {
  if (byteLength(tag.name) > Limits.tagName) return ErrorCode.TAG_NAME_TOO_LONG;
  if (byteLength(tag.address) > Limits.tagAddress) return ErrorCode.TAG_ADDRESS_TOO_LONG;
  if (byteLength(tag.description ?? '') > Limits.tagDescription) return ErrorCode.TAG_DESCRIPTION_TOO_LONG;
  const precision = tag.precision ?? 0;
  if (!Number.isInteger(precision) || precision < 0 || precision > Limits.precision)
    return ErrorCode.TAG_PRECISION_INVALID;
  if (!Number.isFinite(tag.decimal ?? 0)) return ErrorCode.TAG_DECIMAL_INVALID;
  const bias = tag.bias ?? 0;
  if (!Number.isFinite(bias) || (bias !== 0 && !isNumeric(tag.type))) return ErrorCode.TAG_BIAS_INVALID;
  const known = Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE | Attribute.STATIC;
  const reportsOnChange = (tag.attribute & Attribute.SUBSCRIBE) !== 0;
  if ((tag.attribute & ~known) !== 0 || (isStatic(tag) && reportsOnChange))
    return ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED;
  return 0;
}
