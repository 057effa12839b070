import { DataType, ErrorCode, Fault, type TagDraft } from '@tagway/sdk';

const pattern = /^[0-9]{1,8}$/;

/** Information object addresses have three octets; 0 stands for no object. */
const mostObject = 0xff_ffff;

const types = new Set<DataType>([
  DataType.INT8,
  DataType.UINT8,
  DataType.INT16,
  DataType.UINT16,
  DataType.INT32,
  DataType.UINT32,
  DataType.FLOAT,
  DataType.BIT,
  DataType.BOOL,
]);

const invalidAddress = new Fault(
  ErrorCode.TAG_ADDRESS_INVALID,
  'The address is the decimal number of an information object, from 1 to 16777215, such as 4001.',
);

const unsupportedType = new Fault(
  ErrorCode.TAG_TYPE_UNSUPPORTED,
  'An information object is of type BIT, BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32 or FLOAT.',
);

/** The information object of an address; undefined when the address is wrong. */
export function objectOf(address: string): number | undefined {
  if (!pattern.test(address)) return undefined;
  const object = Number(address);
  return object >= 1 && object <= mostObject ? object : undefined;
}

export function checkTag({ address, type }: TagDraft): Fault | undefined {
  if (!types.has(type)) return unsupportedType;
  return objectOf(address) === undefined ? invalidAddress : undefined;
}
