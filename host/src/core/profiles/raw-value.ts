import { DataType } from '@tagway/schemas';

/** The value in registers, of which the first one and the first byte are the highest. A text ends at its first NUL. */
export function rawValue(type: DataType, bytes: Buffer): number | bigint | string {
  switch (type) {
    case DataType.INT16:
      return bytes.readInt16BE(0);
    case DataType.INT32:
      return bytes.readInt32BE(0);
    case DataType.UINT32:
      return bytes.readUInt32BE(0);
    case DataType.INT64:
      return bytes.readBigInt64BE(0);
    case DataType.UINT64:
      return bytes.readBigUInt64BE(0);
    case DataType.FLOAT:
      return bytes.readFloatBE(0);
    case DataType.DOUBLE:
      return bytes.readDoubleBE(0);
    case DataType.STRING: {
      const end = bytes.indexOf(0);
      return bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
    }
    case DataType.INT8:
      return bytes.readInt8(1);
    case DataType.UINT8:
      return bytes.readUInt8(1);
    default:
      return bytes.readUInt16BE(0);
  }
}
