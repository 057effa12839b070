import type { JsonValue } from '@tagway/sdk';
import { type StatusCode, StatusCodes } from 'node-opcua-status-code';
import type { WriteValue } from 'node-opcua-types';
import { DataType, VariantArrayType } from 'node-opcua-variant';

/** What a tag is to be written, or the status with which the write is refused. */
export type Wanted = { readonly value: JsonValue } | { readonly refusal: StatusCode };

const refused = (refusal: StatusCode): Wanted => ({ refusal });

/** The value of a write to a variable of this type (OPC 10000-4, 5.11.4). */
export function wantedValue(type: DataType, { indexRange, value: data }: WriteValue): Wanted {
  // A part of a text or of bytes cannot be written, nor a status or a time of its own.
  if (indexRange?.isDefined()) return refused(StatusCodes.BadWriteNotSupported);
  if (data.statusCode.isNotGood()) return refused(StatusCodes.BadWriteNotSupported);
  if (data.sourceTimestamp || data.serverTimestamp) return refused(StatusCodes.BadWriteNotSupported);
  const { dataType, arrayType, value } = data.value as unknown as {
    readonly dataType: DataType;
    readonly arrayType: VariantArrayType;
    readonly value: unknown;
  };
  if (dataType !== type || arrayType !== VariantArrayType.Scalar) return refused(StatusCodes.BadTypeMismatch);
  switch (type) {
    case DataType.Int64:
    case DataType.UInt64: {
      const [high = 0, low = 0] = value as readonly number[];
      const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
      return { value: type === DataType.Int64 ? BigInt.asIntN(64, bits) : bits };
    }
    case DataType.Float:
    case DataType.Double:
      return Number.isFinite(value) ? { value: value as number } : refused(StatusCodes.BadOutOfRange);
    case DataType.String:
      return typeof value === 'string' ? { value } : refused(StatusCodes.BadTypeMismatch);
    case DataType.ByteString:
      return value instanceof Uint8Array ? { value } : refused(StatusCodes.BadTypeMismatch);
    default:
      return { value: value as number | boolean };
  }
}
