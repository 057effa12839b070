import { Attribute, DataType, ErrorCode, type TagInput } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { TagBody } from '../../core/model.ts';
import { Pacer } from '../../core/system/pacer.ts';
import { fromJson } from '../../core/tags/value-conversion.ts';
import { reasonOf, Refusal, sentence } from '../../core/system/sentence.ts';

/** WORD, DWORD and LWORD, bits that are sent as a number. */
const aliases: Readonly<Record<number, DataType>> = {
  16: DataType.UINT16,
  17: DataType.UINT32,
  18: DataType.UINT64,
};

/** The data type that a number in a request stands for. The plugin refuses numbers of no data type. */
export function typeOf(type: number): DataType {
  return aliases[type] ?? (type as DataType);
}

/**
 * A tag as the core takes it, from a tag as clients send it. Throws BODY_INVALID when a static tag has no value of its type and range,
 * or another tag has a value.
 */
export function tagBody(input: TagInput): TagBody {
  const type = typeOf(input.type);
  const tag = {
    name: input.name,
    address: input.address,
    attribute: input.attribute,
    type,
    precision: input.precision ?? input.precison,
    decimal: input.decimal ?? undefined,
    bias: input.bias,
    description: input.description,
    deadband: input.deadband,
    unit: input.unit,
    low: input.low,
    high: input.high,
    value: input.value,
    isBits: input.type in aliases,
  };
  const isStatic = (input.attribute & Attribute.STATIC) !== 0;
  if (isStatic !== (input.value !== undefined)) {
    throw new Refusal(
      ErrorCode.BODY_INVALID,
      sentence`The tag "${input.name}" ${isStatic ? sentence`is static and needs a value.` : sentence`is not static and may not have a value.`}`,
    );
  }
  if (input.value !== undefined) checkValue(input.name, type, input.value);
  return tag;
}

/** As `tagBody`, of many tags; the gateway does other things meanwhile. */
export async function tagBodies(inputs: readonly TagInput[]): Promise<TagBody[]> {
  const pace = new Pacer();
  const bodies: TagBody[] = [];
  for (const input of inputs) {
    bodies.push(tagBody(input));
    if (pace.isDue) await pace.rest();
  }
  return bodies;
}

function checkValue(name: string, type: DataType, value: NonNullable<TagInput['value']>): void {
  try {
    fromJson(type, value);
  } catch (error) {
    if (!isFault(error)) throw error;
    throw new Refusal(
      ErrorCode.BODY_INVALID,
      sentence`The value of the static tag "${name}" is wrong: ${reasonOf(error)}`,
    );
  }
}
