import { check, kindName, type Kind } from '@tagway/expression';
import { Attribute, dataTypeName, DataType, ErrorCode, Fault } from '@tagway/sdk';
import type { TagDraft } from '@tagway/sdk';
import { inverseOf } from './inverse.ts';

const { BIT, BOOL, BYTES, STRING } = DataType;

/** Whether a tag of this type can hold what an expression of this kind gives. */
export function holds(type: DataType, kind: Kind): boolean {
  switch (kind) {
    case 'unknown':
      return true;
    case 'bytes':
      return type === BYTES;
    case 'string':
      return type === STRING;
    case 'bool':
      return type !== BYTES && type !== DataType.FLOAT && type !== DataType.DOUBLE;
    default:
      return type !== BYTES && type !== BIT && type !== BOOL;
  }
}

/** Why a tag of this type cannot hold what the expression gives. */
export function unholdable(type: DataType, kind: Kind): string {
  const isTruth = type === BIT || type === BOOL;
  const advice =
    isTruth && kind !== 'bytes' && kind !== 'string' ? ' A comparison makes true or false of it.' : '';
  return `The expression gives ${kindName(kind)}, which a tag of type ${dataTypeName(type)} cannot hold.${advice}`;
}

/** The static check of a tag: its expression, as far as that is known without the types of its inputs. */
export function checkTag({ address, attribute, type }: TagDraft): Fault | undefined {
  const kind = check(address);
  if (kind instanceof Error) return new Fault(ErrorCode.TAG_ADDRESS_INVALID, kind.message);
  if (!holds(type, kind)) return new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, unholdable(type, kind));
  if ((attribute & Attribute.WRITE) !== 0 && inverseOf(address) === undefined)
    return new Fault(
      ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
      'A calculated tag can be written only if it stands for one other tag: tag("node/group/tag"), or scale(tag("node/group/tag"), from_low, from_high, to_low, to_high).',
    );
  return undefined;
}
