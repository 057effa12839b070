import { DataType, isFault, type Fault, type TagDraft } from '@tagway/sdk';
import { invalidAddress, unsupportedType, wordAddress, type Address } from '@tagway/plc-words';
import { XyBase, ZrBase, type Bases } from './settings.ts';

/** How the number of a device is written: `xy` and `zr` as the settings say. */
type Notation = 'decimal' | 'hexadecimal' | 'xy' | 'zr';

interface Device {
  /** Its code in requests (SH-080008, section 8.1). */
  readonly code: number;
  readonly notation: Notation;
  readonly isBit: boolean;
}

const bit = (code: number, notation: Notation = 'decimal'): Device => ({ code, notation, isBit: true });
const word = (code: number, notation: Notation = 'decimal'): Device => ({ code, notation, isBit: false });

const devices: Readonly<Record<string, Device>> = {
  X: bit(0x9c, 'xy'),
  Y: bit(0x9d, 'xy'),
  DX: bit(0xa2, 'hexadecimal'),
  DY: bit(0xa3, 'hexadecimal'),
  B: bit(0xa0, 'hexadecimal'),
  SB: bit(0xa1, 'hexadecimal'),
  M: bit(0x90),
  SM: bit(0x91),
  L: bit(0x92),
  F: bit(0x93),
  V: bit(0x94),
  S: bit(0x98),
  TS: bit(0xc1),
  TC: bit(0xc0),
  SS: bit(0xc7),
  STS: bit(0xc7),
  SC: bit(0xc6),
  STC: bit(0xc6),
  CS: bit(0xc4),
  CC: bit(0xc3),
  TN: word(0xc2),
  SN: word(0xc8),
  STN: word(0xc8),
  CN: word(0xc5),
  D: word(0xa8),
  SD: word(0xa9),
  W: word(0xb4, 'hexadecimal'),
  SW: word(0xb5, 'hexadecimal'),
  R: word(0xaf),
  ZR: word(0xb0, 'zr'),
  Z: word(0xcc),
};

const bitCodes = new Set(Object.values(devices).flatMap(({ code, isBit }) => (isBit ? [code] : [])));

/** Whether a device is one of bits. */
export function isBitDevice(code: number): boolean {
  return bitCodes.has(code);
}

/** Requests have three bytes for a number. */
const mostNumber = 0xff_ffff;

const defaults: Bases = { xy_base: XyBase.HEXADECIMAL, zr_base: ZrBase.HEXADECIMAL };

// Longer names first, so that SM10 is not read as S and an invalid number.
const names = Object.keys(devices).sort((left, right) => right.length - left.length);
const pattern = new RegExp(`^(${names.join('|')})([0-9A-Z]*)(?:\\.(\\d+)([HL])?)?$`);
const form =
  'A device such as X, M, D, W or ZR and a number are expected, for example X1F, M100, D100, D100.5 or D100.20L';

/** Parses an address `AREA ADDRESS[.BIT][.LEN[H|L]]`, written without a blank; the fault says what is wrong. */
export function parseAddress(text: string, type: DataType, bases: Bases = defaults): Address | Fault {
  if (!types.has(type))
    return unsupportedType(type, 'MELSEC tags are BIT, STRING or numbers of 16 or 32 bits or DOUBLE');
  const [, family = ''] = /^(T|C|ST)\d/.exec(text) ?? [];
  if (family !== '')
    return invalidAddress(
      text,
      `A timer or counter needs to say what of it is meant, the current value, the contact or the coil: ${family}N, ${family}S or ${family}C`,
    );
  const parts = pattern.exec(text);
  if (parts === null) return invalidAddress(text, form);
  const [, name = '', digits = '', number, letter] = parts;
  const { code, notation, isBit } = devices[name] as Device;
  const radix = radixOf(notation, bases);
  const start = numberOf(digits, radix);
  if (start === undefined) return invalidAddress(text, `The number of ${name} is ${radixNames[radix] ?? ''}`);
  if (isBit && type !== DataType.BIT)
    return unsupportedType(type, `${name} is a device of bits and holds only BIT`);
  if (isBit && number !== undefined)
    return invalidAddress(text, `${name} is a device of bits, so it has no bit number`);
  const address = isBit ? bitAddress(code, start) : wordAddress(text, type, code, start, { number, letter });
  if (isFault(address) || address.end <= mostNumber + 1) return address;
  return invalidAddress(text, 'Its number does not fit into the three bytes that a request has for it');
}

const types = new Set<DataType>([
  DataType.INT16,
  DataType.UINT16,
  DataType.INT32,
  DataType.UINT32,
  DataType.FLOAT,
  DataType.DOUBLE,
  DataType.BIT,
  DataType.STRING,
]);

function bitAddress(area: number, start: number): Address {
  return { area, start, end: start + 1, type: DataType.BIT, bit: 0, length: 0, highFirst: true };
}

const radixNames: Readonly<Record<number, string>> = {
  8: 'octal in this node: 0 to 7',
  10: 'decimal',
  16: 'hexadecimal',
};

function radixOf(notation: Notation, { xy_base, zr_base }: Bases): 8 | 10 | 16 {
  if (notation === 'xy') return xy_base === XyBase.OCTAL ? 8 : 16;
  if (notation === 'zr') return zr_base === ZrBase.DECIMAL ? 10 : 16;
  return notation === 'decimal' ? 10 : 16;
}

function numberOf(digits: string, radix: 8 | 10 | 16): number | undefined {
  const allowed = radix === 8 ? /^[0-7]+$/ : radix === 10 ? /^[0-9]+$/ : /^[0-9A-F]+$/;
  return allowed.test(digits) ? parseInt(digits, radix) : undefined;
}

/** The static check of a tag: see `DriverDefinition.checkTag`. */
export function checkTag(tag: TagDraft, settings?: Bases): Fault | undefined {
  const address = parseAddress(tag.address, tag.type, settings);
  return isFault(address) ? address : undefined;
}
