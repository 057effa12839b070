import { DataValue } from 'node-opcua-data-value';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import { DataType, Variant } from 'node-opcua-variant';

/** A value of a history; without a number there is none, for the reason that the status says. */
export function historyValue(
  time: number,
  number: number | bigint | undefined,
  type: DataType,
  status: StatusCode = StatusCodes.Good,
): DataValue {
  const at = new Date(time);
  return new DataValue({
    ...(number !== undefined && { value: variantOf(number, type) }),
    statusCode: status,
    sourceTimestamp: at,
    serverTimestamp: at,
  });
}

function variantOf(number: number | bigint, dataType: DataType): Variant {
  const variant = new Variant(null);
  variant.dataType = dataType;
  if (dataType === DataType.Boolean) variant.value = Number(number) !== 0;
  else if (dataType === DataType.Int64 || dataType === DataType.UInt64) {
    // The library has the two halves of 64 bits, the high one first.
    const bits = BigInt(number);
    variant.value = [Number((bits >> 32n) & 0xffff_ffffn), Number(bits & 0xffff_ffffn)];
  } else variant.value = Number(number);
  return variant;
}
