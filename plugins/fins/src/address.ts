import { Attribute, DataType, ErrorCode, Fault, isFault, type TagDraft } from '@tagway/sdk';
import { invalidAddress, unsupportedType, wordAddress, type Address } from '@tagway/plc-words';

/**
 * Memory areas by the code that a request for words carries; EM bank b is at 0xA0 + b, from bank 0x10 on at 0x60 + (b - 0x10).
 * Codes: Omron W342, section 5-2-2; those of the banks from 0xD on as an independent client has them.
 */
const areas: Readonly<Record<string, number>> = { CIO: 0xb0, W: 0xb1, H: 0xb2, A: 0xb3, D: 0x82, P: 0x89 };

/** Completion flags, one byte each; the code is that of bits. */
export const flags = 0x09;
const auxiliary = 0xb3;
const timers = 0x89;

/** Timers and counters are 4096 each. The tag P4096, or F4096, is counter 0, which a request names 0x8000. */
const perKind = 4096;
const firstCounter = 0x8000;

const mostNumber = 65_535;
const lastBank = 0x18;

const pattern = /^(?:(CIO|A|W|H|D|P|F)|EM([0-9A-F]{1,2})W)(\d{1,5})(?:\.(\d+)([HL])?)?$/;
const form =
  'An area (CIO, W, H, A, D, P, F, or EM with its bank and W) and a number are expected, such as D100, D100.5, EM0W100 or D100.20L';

/** Parses an address `AREA ADDRESS[.BIT][.LEN[H|L]]`, written without a blank; the fault says what is wrong. */
export function parseAddress(text: string, type: DataType): Address | Fault {
  if (type === DataType.BOOL || type === DataType.BYTES)
    return unsupportedType(type, 'FINS tags are numbers, BIT or STRING');
  const parts = pattern.exec(text);
  if (parts === null) return invalidAddress(text, form);
  const [, name = 'EM', bank, digits, number, letter] = parts;
  const isByte = type === DataType.INT8 || type === DataType.UINT8;
  if (isByte !== (name === 'F'))
    return unsupportedType(type, 'a completion flag (F) holds INT8 or UINT8, and nothing else does');
  const area = name === 'F' ? flags : bank === undefined ? areas[name] : bankArea(parseInt(bank, 16));
  if (area === undefined)
    return invalidAddress(text, 'The banks of EM are 0 to F and 10 to 18, in hexadecimal');
  const address = wordAddress(text, type, area, Number(digits), { number, letter });
  if (isFault(address)) return address;
  if (name === 'P' || name === 'F') return timerAddress(text, address);
  const isInside = address.end <= mostNumber + 1;
  return isInside ? address : invalidAddress(text, `It reaches beyond number ${mostNumber}`);
}

function bankArea(bank: number): number | undefined {
  if (bank > lastBank) return undefined;
  return bank < 0x10 ? 0xa0 + bank : 0x60 + (bank - 0x10);
}

/** Numbers of timers stay; those of counters become what requests call them. */
function timerAddress(text: string, address: Address): Address | Fault {
  const { start, end } = address;
  if (end > 2 * perKind)
    return invalidAddress(
      text,
      `Timers have the numbers 0 to ${perKind - 1}, counters ${perKind} to ${2 * perKind - 1}`,
    );
  if (start < perKind)
    return end <= perKind ? address : invalidAddress(text, 'It reaches from the timers into the counters');
  const shift = firstCounter - perKind;
  return { ...address, start: start + shift, end: end + shift };
}

const readOnly =
  'The auxiliary area (A), completion flags (F) and bits of timers and counters are read-only.';
const notWritable = new Fault(ErrorCode.TAG_NOT_WRITABLE, readOnly);

/** Why an area cannot be written with values of a type; undefined when it can. */
export function refusesWrite(area: number, type: DataType): Fault | undefined {
  const refused = area === auxiliary || area === flags || (area === timers && type === DataType.BIT);
  return refused ? notWritable : undefined;
}

/** The static check of a tag: see `DriverDefinition.checkTag`. */
export function checkTag(tag: TagDraft): Fault | undefined {
  const address = parseAddress(tag.address, tag.type);
  if (isFault(address)) return address;
  const isWritten = (tag.attribute & Attribute.WRITE) !== 0;
  if (!isWritten || refusesWrite(address.area, address.type) === undefined) return undefined;
  return new Fault(
    ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
    `The tag "${tag.name}" cannot be written. ${readOnly}`,
  );
}
