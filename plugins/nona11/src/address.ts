import { Attribute, DataType, ErrorCode, Fault, isFault, type TagDraft } from '@tagway/sdk';
import { mostCommand, mostSite } from './protocol.ts';

/** A checked address `[SITE!]COMMAND!OFFSET[.LENGTH]`. */
export interface Address {
  /** Undefined: the site of the settings. */
  readonly site: number | undefined;
  readonly command: number;
  /** First byte of the value in the answer, and the one behind its last. */
  readonly start: number;
  readonly end: number;
}

const pattern = /^(?:(\d{1,5})!)?(\d{1,5})!(\d{1,5})(?:\.([1-9]\d{0,4}))?$/;

const sizes: Readonly<Partial<Record<DataType, number>>> = {
  [DataType.INT16]: 2,
  [DataType.UINT16]: 2,
  [DataType.INT32]: 4,
  [DataType.UINT32]: 4,
  [DataType.FLOAT]: 4,
};

function invalid(address: string, why: string): Fault {
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, `The address "${address}" is invalid. ${why}`);
}

/** Parses an address for a value of `type`; a fault with TAG_TYPE_UNSUPPORTED or TAG_ADDRESS_INVALID says what is wrong. */
export function parseAddress(text: string, type: DataType): Address | Fault {
  const isText = type === DataType.STRING;
  const size = sizes[type];
  if (size === undefined && !isText)
    return new Fault(
      ErrorCode.TAG_TYPE_UNSUPPORTED,
      'Tags of A11 devices are INT16, UINT16, INT32, UINT32, FLOAT or STRING.',
    );
  const parts = pattern.exec(text);
  if (parts === null)
    return invalid(
      text,
      'A site, a command and an offset are expected, for example 1!3!0, 3!0 or, of a STRING, 1!3!10.20.',
    );
  const [, siteText, commandText, offsetText, lengthText] = parts;
  const site = siteText === undefined ? undefined : Number(siteText);
  const command = Number(commandText);
  const start = Number(offsetText);
  if (site !== undefined && site > mostSite)
    return invalid(text, `The assumed frame has room for sites up to ${mostSite}.`);
  if (command > mostCommand)
    return invalid(text, `The assumed frame has room for commands up to ${mostCommand}.`);
  if (isText !== (lengthText !== undefined))
    return invalid(
      text,
      isText ? 'A STRING needs its length in bytes, for example 1!3!10.20.' : 'Only a STRING has a length.',
    );
  return { site, command, start, end: start + (size ?? Number(lengthText)) };
}

const readOnly = new Fault(
  ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
  'Tags of A11 devices can be read and subscribed to, not written: remove the attribute WRITE.',
);

/** The static check of a tag: see `DriverDefinition.checkTag`. */
export function checkTag({ address, attribute, type }: TagDraft): Fault | undefined {
  const parsed = parseAddress(address, type);
  if (isFault(parsed)) return parsed;
  return (attribute & Attribute.WRITE) === 0 ? undefined : readOnly;
}
