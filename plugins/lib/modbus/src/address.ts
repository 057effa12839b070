import { Attribute, DataType, ErrorCode, Fault, isFault, numberSize, type TagDraft } from '@tagway/sdk';
import type { Permutation } from '@tagway/plc-words/numbers';
import type { CharacterPlaces } from '@tagway/plc-words/text';
import { orderOfSetting, orderOfSuffix, straight } from './byte-order.ts';
import type { Endianness } from './settings.ts';

/** The four tables of a Modbus device, by the first digit of an address. */
export const Area = { COIL: 0, DISCRETE_INPUT: 1, INPUT_REGISTER: 3, HOLDING_REGISTER: 4 } as const;
export type Area = (typeof Area)[keyof typeof Area];

/** Whether the area consists of bits, not of registers. */
export function isBitArea(area: Area): boolean {
  return area === Area.COIL || area === Area.DISCRETE_INPUT;
}

/** How the characters of a string lie in registers: two each, high or low byte first, or one each, in the low (D) or the high (E) byte. */
export type TextLayout = 'H' | 'L' | 'D' | 'E';

export const characterPlaces: Readonly<Record<TextLayout, CharacterPlaces>> = {
  H: { step: 1, swap: 0 },
  L: { step: 1, swap: 1 },
  D: { step: 2, swap: 1 },
  E: { step: 2, swap: 0 },
};

/** A checked address `SLAVE!ADDRESS[.BIT][#ENDIAN][.LEN[H|L|D|E]]`. */
export interface Address {
  readonly unit: number;
  readonly area: Area;
  /** The number after the area digit, as written. */
  readonly number: number;
  /** Registers, or 1 for a coil or a discrete input. */
  readonly count: number;
  readonly type: DataType;
  /** Bit of the register, 0 is the lowest; 0 in the bit areas. */
  readonly bit: number;
  /** Bytes of a STRING or BYTES. */
  readonly length: number;
  readonly layout: TextLayout;
  /** Byte order that the address asks for; it wins over the node's setting. */
  readonly order: Permutation | undefined;
}

/** Bytes of a number in registers, which hold no INT8 and UINT8; undefined for what is no number. */
export function widthOf(type: DataType): 2 | 4 | 8 | undefined {
  const size = numberSize(type);
  return size === 1 ? undefined : size;
}

const maxNumber = 65536;
const maxText = 127;
/** One character a register: longer does not fit into one request. */
const maxSparseText = 125;
const maxBytes = 128;

const pattern = /^(\d{1,3})!([0134])(\d{1,6})(?:\.(\d{1,3})([HLDE])?)?(?:#([A-Z]{1,2}))?$/;

/** Parses an address for a value of `type`; a fault with TAG_TYPE_UNSUPPORTED or TAG_ADDRESS_INVALID says what is wrong. */
export function parseAddress(text: string, type: DataType): Address | Fault {
  const width = widthOf(type);
  if (width === undefined && type !== DataType.BIT && type !== DataType.STRING && type !== DataType.BYTES) {
    return new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, 'Modbus tags cannot be of type INT8, UINT8 or BOOL.');
  }
  const parts = pattern.exec(text);
  if (parts === null)
    return invalid(text, 'It does not have the form SLAVE!ADDRESS[.BIT][#ENDIAN][.LEN[H|L|D|E]]');
  const [, slave, digit, digits, suffix, layout, endian] = parts;
  const unit = Number(slave);
  const number = Number(digits);
  const area = Number(digit) as Area;
  if (unit > 255) return invalid(text, 'The unit number is above 255');
  if (number > maxNumber) return invalid(text, `The register number is above ${maxNumber}`);

  if (isBitArea(area) && type !== DataType.BIT) {
    return new Fault(
      ErrorCode.TAG_TYPE_UNSUPPORTED,
      `The address "${text}" is a coil or a discrete input and holds only BIT.`,
    );
  }
  const address = {
    unit,
    area,
    number,
    type,
    count: 1,
    bit: 0,
    length: 0,
    layout: (layout ?? 'H') as TextLayout,
    order: undefined,
  };
  const size = suffix === undefined ? undefined : Number(suffix);
  if (layout !== undefined && type !== DataType.STRING)
    return invalid(text, 'Only a STRING has a letter after its length');
  if (width === undefined && endian !== undefined) return invalid(text, 'Only numbers have a byte order');

  let result: Address | Fault;
  if (width !== undefined) {
    if (size !== undefined) return invalid(text, 'A number has neither a bit nor a length');
    const order = endian === undefined ? undefined : orderOfSuffix(width, endian);
    if (endian !== undefined && order === undefined)
      return invalid(text, `There is no byte order #${endian} of ${width * 8} bits`);
    result = { ...address, count: width / 2, order };
  } else if (type === DataType.BIT) {
    result = bitOf(text, address, size);
  } else {
    result = type === DataType.STRING ? textOf(text, address, size) : bytesOf(text, address, size);
  }
  if (!isFault(result) && Math.max(number, 1) - 1 + result.count > maxNumber) {
    return invalid(text, `It reaches beyond register ${maxNumber}`);
  }
  return result;
}

/** The number of the address in its area, counted from 0, as requests carry it. */
export function startOf(address: Address, base: number): number {
  return base === 0 ? Math.min(address.number, maxNumber - 1) : Math.max(address.number, 1) - 1;
}

/** The byte order of a value: the one that its address names, else the one that the node's settings name. */
export function orderOf({ type, order }: Address, node: Endianness): Permutation {
  const width = widthOf(type) ?? 2;
  if (order !== undefined) return order;
  if (width === 2) return straight[2];
  return orderOfSetting(width, width === 4 ? node.endianess : node.endianess_64);
}

/** The byte order of a test read: big-endian, whatever the address and the settings say. */
export function testOrderOf({ type }: Address): Permutation {
  return straight[widthOf(type) ?? 2];
}

/** The static check of a tag: see `DriverDefinition.checkTag`. */
export function checkTag(tag: TagDraft): Fault | undefined {
  const address = parseAddress(tag.address, tag.type);
  const isWritten = (tag.attribute & Attribute.WRITE) !== 0;
  // That a tag cannot be written at all comes before what is wrong with the rest of its address.
  const area = pattern.exec(tag.address)?.[2];
  const isReadOnly = area !== undefined && !writable({ area: Number(area) as Area, type: tag.type });
  const isUnsupported = isFault(address) && address.code === ErrorCode.TAG_TYPE_UNSUPPORTED;
  if (!isWritten || !isReadOnly || isUnsupported) return isFault(address) ? address : undefined;
  return new Fault(
    ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
    `The tag "${tag.name}" cannot be written: inputs and single bits of registers are read-only in Modbus.`,
  );
}

/** Whether a request exists that writes just this address. */
export function writable(address: Pick<Address, 'area' | 'type'>): boolean {
  return (
    address.area === Area.COIL || (address.area === Area.HOLDING_REGISTER && address.type !== DataType.BIT)
  );
}

function bitOf(text: string, address: Address, size: number | undefined): Address | Fault {
  // Without a number it is the lowest.
  if (size === undefined) return address;
  if (isBitArea(address.area)) return invalid(text, 'A coil or a discrete input has no bit number');
  return size <= 15 ? { ...address, bit: size } : invalid(text, 'The bit number is above 15');
}

function textOf(text: string, address: Address, size: number | undefined): Address | Fault {
  const sparse = address.layout === 'D' || address.layout === 'E';
  const most = sparse ? maxSparseText : maxText;
  if (size === undefined || size < 1 || size > most)
    return invalid(text, `A STRING needs a length from .1 to .${most}`);
  return { ...address, length: size, count: sparse ? size : Math.ceil(size / 2) };
}

function bytesOf(text: string, address: Address, size: number | undefined): Address | Fault {
  if (size === undefined || size < 2 || size > maxBytes || size % 2 !== 0) {
    return invalid(text, `BYTES need an even length from .2 to .${maxBytes}`);
  }
  return { ...address, length: size, count: size / 2 };
}

function invalid(text: string, why: string): Fault {
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, `The address "${text}" is invalid. ${why}.`);
}
