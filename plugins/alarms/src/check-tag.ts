import { ExpressionError } from '@tagway/expression';
import { Attribute, DataType, dataTypeName, ErrorCode, Fault, shownAlarm, type TagDraft } from '@tagway/sdk';
import { parseDefinition } from './definition/definition.ts';

const { BYTES, DOUBLE, FLOAT, STRING } = DataType;

/** The static check of a tag: its definition, and what its type can show and take. */
export function checkTag({ address, attribute, type }: TagDraft): Fault | undefined {
  if (type === BYTES || type === DOUBLE || type === FLOAT)
    return new Fault(
      ErrorCode.TAG_TYPE_UNSUPPORTED,
      `A tag of type ${dataTypeName(type)} cannot show an alarm: BIT and BOOL show whether it is active, whole numbers the code of its state, STRING the name.`,
    );
  const fault = addressFault(address);
  if (fault !== undefined) return fault;
  if ((attribute & Attribute.WRITE) !== 0 && type !== STRING)
    return new Fault(
      ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
      'Commands are written to a tag of type STRING: give the attribute WRITE to such a tag of this alarm.',
    );
  return undefined;
}

function addressFault(address: string): Fault | undefined {
  if (shownAlarm(address) !== undefined) return undefined;
  try {
    parseDefinition(address);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return new Fault(ErrorCode.TAG_ADDRESS_INVALID, error.message);
  }
}
