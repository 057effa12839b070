import { DataType, ErrorCode, Fault, isFault, type TagDraft } from '@tagway/sdk';

/** One name of an address, and the element that is meant of an array. */
export interface Part {
  readonly name: string;
  readonly indices: readonly number[];
}

/** A checked address, such as `Program:Main.Motor[3].Speed` or `Flags.5`. */
export interface Address {
  /** The address without its bit and count, as requests and messages name it. */
  readonly text: string;
  /** Name of the program whose tag it is; empty for tags of the controller. */
  readonly program: string;
  readonly parts: readonly [Part, ...Part[]];
  /** A bit of an integer; -1 for the whole value. */
  readonly bit: number;
  /** Elements of BYTES; 0 when the address gives none. */
  readonly count: number;
}

const names = String.raw`[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*`;
const indices = String.raw`(?:\[\d{1,9}(?:,\d{1,9}){0,2}\])?`;
const program = new RegExp(String.raw`^program:(${names})\.`, 'i');
const tag = new RegExp(String.raw`^${names}(?:(?::\d+)?:[A-Za-z]\w*)?${indices}(?:\.${names}${indices})*$`);
const suffix = /(?:\.(\d{1,2}))?(?:\{(\d{1,5})\})?$/;

const examples = 'Examples: Level, Recipe[3].Setpoint and Program:Main.Speed';

/** Parses an address for a value of `type`; a fault with TAG_ADDRESS_INVALID says what is wrong. */
export function parseAddress(address: string, type: DataType): Address | Fault {
  const [ending = '', bitText, countText] = suffix.exec(address) ?? [];
  const text = address.slice(0, address.length - ending.length);
  const scope = program.exec(text);
  const rest = text.slice(scope?.[0].length ?? 0);
  if (!tag.test(rest)) return invalid(address, whatIsWrong(address));
  if (/^program(?:$|:)/i.test(rest))
    return invalid(address, 'names a program and no tag of it, as in Program:Main.Speed');
  if (bitText !== undefined && type !== DataType.BIT && type !== DataType.BOOL)
    return invalid(address, 'ends in the number of a bit, which only a BIT or BOOL tag has');
  if (Number(bitText ?? 0) > 63) return invalid(address, 'has a bit above 63');
  if (countText !== undefined && type !== DataType.BYTES)
    return invalid(
      address,
      'has a number of elements, which only a BYTES tag has: give an element a tag each',
    );
  if (countText !== undefined && (Number(countText) < 1 || Number(countText) > 65_535))
    return invalid(address, 'needs a number of elements from 1 to 65535');
  const parts = rest.split(/\.(?![^[]*\])/).map(partOf);
  const long = parts.find(({ name }) => Buffer.byteLength(name) > 127);
  if (long !== undefined) return invalid(address, 'has a name of more than 127 bytes');
  return {
    text,
    program: scope?.[1] ?? '',
    parts: parts as unknown as Address['parts'],
    bit: bitText === undefined ? -1 : Number(bitText),
    count: Number(countText ?? 0),
  };
}

/** The static check of a tag: see `DriverDefinition.checkTag`. */
export function checkTag({ address, type }: TagDraft): Fault | undefined {
  const parsed = parseAddress(address, type);
  return isFault(parsed) ? parsed : undefined;
}

function partOf(text: string): Part {
  const bracket = text.indexOf('[');
  if (bracket < 0) return { name: text, indices: [] };
  return {
    name: text.slice(0, bracket),
    indices: text
      .slice(bracket + 1, -1)
      .split(',')
      .map(Number),
  };
}

function whatIsWrong(address: string): string {
  if (/^[NBFCTSRLIOD]\d*:\d/i.test(address))
    return `is one of a PLC-5, an SLC 500 or a MicroLogix, which this driver does not read. ${examples}`;
  if (address.trim() !== address) return 'begins or ends with a space';
  if (/\s/.test(address)) return 'has a space in it';
  if (/\[-/.test(address)) return 'has a negative index: arrays of a controller begin at 0';
  if (/\[\D|\]\[/.test(address)) return 'has an index that is not a number such as [3] or [3,1]';
  if (/\]\w/.test(address)) return 'needs a dot behind the index of an element';
  return `is not the name of a tag. ${examples}`;
}

function invalid(address: string, why: string): Fault {
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, `The address "${address}" ${why}.`);
}
