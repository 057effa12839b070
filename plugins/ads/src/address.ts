import { DataType, ErrorCode, Fault, isFault, numberSize, type TagDraft } from '@tagway/sdk';

/** An address of numbers: `GROUP,OFFSET` or, of a text or of bytes, `GROUP,OFFSET.LEN`. */
export interface IndexAddress {
  readonly kind: 'place';
  readonly group: number;
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
}

/** An address that names a variable of the PLC program, such as `MAIN.speed` or `GVL.motors[3].state`. */
export interface SymbolName {
  readonly kind: 'symbol';
  readonly name: string;
}

/** A checked address. */
export type Address = IndexAddress | SymbolName;

/** Bytes of a value of a type that has a fixed size. */
export function sizeOf(type: DataType): number | undefined {
  return type === DataType.BOOL ? 1 : numberSize(type);
}

/** Most bytes of a text or of bytes in one tag. */
export const maxLength = 65_535;

const placePattern =
  /^(0[xX][0-9A-Fa-f]{1,8}|\d{1,10}),(0[xX][0-9A-Fa-f]{1,8}|\d{1,10})(?:\.([1-9]\d{0,4}))?$/;
const symbolPattern = /^\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[-?\d{1,10}(?:,-?\d{1,10}){0,2}\]|\^)*$/;

const bit = new Fault(
  ErrorCode.TAG_TYPE_UNSUPPORTED,
  'ADS reads and writes whole bytes: a BOOL of the PLC is a tag of type BOOL, not BIT.',
);

/** Parses an address for a value of `type`; a fault with TAG_TYPE_UNSUPPORTED or TAG_ADDRESS_INVALID says what is wrong. */
export function parseAddress(text: string, type: DataType): Address | Fault {
  const width = sizeOf(type);
  const isLong = type === DataType.STRING || type === DataType.BYTES;
  if (width === undefined && !isLong) return bit;
  if (symbolPattern.test(text)) return { kind: 'symbol', name: text };
  const parts = placePattern.exec(text);
  if (parts === null)
    return invalid(
      text,
      `is neither INDEX_GROUP,INDEX_OFFSET${isLong ? '.LENGTH' : ''} nor the name of a PLC variable. Examples: ${isLong ? '0x4020,100.80' : '0x4020,100'} and MAIN.speed`,
    );
  const [, groupText, offsetText, lengthText] = parts;
  const group = Number(groupText);
  const offset = Number(offsetText);
  if (group > 0xffff_ffff || offset > 0xffff_ffff)
    return invalid(text, 'has an index group or offset above 4294967295 (0xFFFFFFFF)');
  if (width !== undefined) {
    return lengthText === undefined
      ? { kind: 'place', group, offset, size: width }
      : invalid(text, 'has a length, which only a STRING or BYTES tag has');
  }
  const size = Number(lengthText ?? 0);
  if (size < 1 || size > maxLength)
    return invalid(text, `needs a length from 1 to ${maxLength} bytes behind a dot, such as 0x4020,100.80`);
  return { kind: 'place', group, offset, size };
}

/** The static check of a tag: see `DriverDefinition.checkTag`. */
export function checkTag({ address, type }: TagDraft): Fault | undefined {
  const parsed = parseAddress(address, type);
  return isFault(parsed) ? parsed : undefined;
}

function invalid(text: string, why: string): Fault {
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, `The address "${text}" ${why}.`);
}
