import { Attribute, DataType, type Dialect, ErrorCode, Limits } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { isNumeric } from '@tagway/sdk/internal';
import type { Plugin, Tag, TagBody, TagGroup } from '../model.ts';
import { tagOf } from '../records/records.ts';
import { refuse } from '../system/refuse.ts';
import { checkReporting } from './reporting.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';

export function isStatic(tag: Pick<Tag, 'attribute'>): boolean {
  return (tag.attribute & Attribute.STATIC) !== 0;
}

export function isWritable(tag: Pick<Tag, 'attribute'>): boolean {
  return (tag.attribute & Attribute.WRITE) !== 0;
}

/** The tag of a group by its name. Throws TAG_NOT_FOUND. */
export function tagNamed({ name: group, tags }: TagGroup, name: string): Tag {
  return (
    tags.get(name) ?? refuse(ErrorCode.TAG_NOT_FOUND, sentence`The group "${group}" has no tag "${name}".`)
  );
}

/** Whether apps and reads see the tag. */
export function isReadable(tag: Pick<Tag, 'attribute'>): boolean {
  return (tag.attribute & (Attribute.READ | Attribute.SUBSCRIBE | Attribute.STATIC)) !== 0;
}

/** Bytes of UTF-8 that an address may have for this plugin. */
export function longestAddress(dialect: Pick<Dialect, 'longestAddress'>, plugin: Plugin | undefined): number {
  return Math.min(plugin?.longestAddress ?? Limits.tagAddress, dialect.longestAddress);
}

/** Refuses a tag that no plugin could accept, with a sentence that names it; undefined when the plugin is to be asked. */
export function checkTag(tag: TagBody, mostAddress: number = Limits.tagAddress): Fault | undefined {
  const { precision, decimal, bias, description } = tagOf(0, tag);
  const fault = (code: number, problem: Sentence): Fault =>
    new Refusal(code, sentence`The tag "${tag.name.slice(0, Limits.tagName)}" ${problem}`);
  const bytes = (text: string): number => Buffer.byteLength(text);
  if (bytes(tag.name) > Limits.tagName)
    return fault(
      ErrorCode.TAG_NAME_TOO_LONG,
      sentence`has a name of ${bytes(tag.name)} bytes of UTF-8; ${Limits.tagName} are allowed.`,
    );
  if (bytes(tag.address) > mostAddress)
    return fault(
      ErrorCode.TAG_ADDRESS_TOO_LONG,
      sentence`has an address of ${bytes(tag.address)} bytes of UTF-8; ${mostAddress} are allowed.`,
    );
  if (bytes(description) > Limits.tagDescription) {
    return fault(
      ErrorCode.TAG_DESCRIPTION_TOO_LONG,
      sentence`has a description of ${bytes(description)} bytes of UTF-8; ${Limits.tagDescription} are allowed.`,
    );
  }
  if (!Number.isInteger(precision) || precision < 0 || precision > Limits.precision) {
    return fault(
      ErrorCode.TAG_PRECISION_INVALID,
      sentence`has a precision of ${precision}; it is an integer of 0 to ${Limits.precision}.`,
    );
  }
  if (!Number.isFinite(decimal))
    return fault(
      ErrorCode.TAG_DECIMAL_INVALID,
      sentence`has a decimal of ${decimal}; it must be a finite number.`,
    );
  if (decimal !== 0 && tag.type === DataType.STRING)
    return fault(
      ErrorCode.TAG_DECIMAL_INVALID,
      sentence`has a decimal of ${decimal} and is a STRING, which has none; leave it out.`,
    );
  if (!Number.isFinite(bias) || (bias !== 0 && (tag.isBits === true || !isNumeric(tag.type)))) {
    return fault(
      ErrorCode.TAG_BIAS_INVALID,
      sentence`has a bias of ${bias}; it must be a finite number, and 0 unless the type is numeric.`,
    );
  }
  const known = Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE | Attribute.STATIC;
  const reportsOnChange = (tag.attribute & Attribute.SUBSCRIBE) !== 0;
  if ((tag.attribute & ~known) !== 0 || (isStatic(tag) && reportsOnChange)) {
    return fault(
      ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
      sentence`has the attribute ${tag.attribute}; it is a sum of 1 (read), 2 (write), 4 (subscribe) and 8 (static), and static tags cannot be subscribed to.`,
    );
  }
  return checkReporting(tag.name.slice(0, Limits.tagName), tag);
}
