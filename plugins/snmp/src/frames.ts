import { isFault, type FrameFormat, type FrameMeaning, type Point } from '@tagway/sdk';
import { parseAddress, type Address } from './address.ts';
import { textOf } from './decode.ts';
import { readRefused, valueTypeName } from './faults.ts';
import type { Names } from './names/names.ts';
import { Cursor, Tag } from './wire/ber.ts';
import { isBelow, oidText } from './wire/oid.ts';
import { openMessage, Pdu, PduType, Varbinds, Version } from './wire/pdu.ts';
import { SecuredHead } from './wire/secured.ts';
import { User } from './wire/usm.ts';
import { type Settings, versionOf } from './settings.ts';

/** Most objects that the line of a frame names, and most characters of a value in it. */
const mostObjects = 6;
const mostText = 60;

const pduNames = new Map<number, string>([
  [PduType.GET, 'Get'],
  [PduType.GET_NEXT, 'Get next'],
  [PduType.RESPONSE, 'Response'],
  [PduType.SET, 'Set'],
  [PduType.GET_BULK, 'Get bulk'],
  [PduType.INFORM, 'Inform'],
  [PduType.TRAP, 'Trap'],
  [PduType.REPORT, 'Report'],
]);

const absences = new Map<number, string>([
  [Tag.NULL, ''],
  [Tag.NO_SUCH_OBJECT, ' = no such object'],
  [Tag.NO_SUCH_INSTANCE, ' = no such instance'],
  [Tag.END_OF_MIB_VIEW, ' = end of the tree'],
]);

/** How frames are shown to people who trace them. Community and user are not shown, and what is encrypted is decrypted. */
export function framesOf(settings: Readonly<Settings>, names: () => Names): FrameFormat {
  return {
    port: 161,
    byTag: true,
    explain: (tag) => {
      const opener = new Opener(settings);
      return (_direction, frame) => {
        const opened = opener.open(frame);
        return typeof opened === 'string' ? { text: opened } : explain(opened, names(), tag);
      };
    },
  };
}

/** A message, opened for reading alone: what the node knows of its agent is not touched. */
interface OpenedMessage {
  readonly pdu: Pdu;
  readonly data: Buffer;
}

class Opener {
  readonly #user: User | undefined;

  constructor(settings: Readonly<Settings>) {
    this.#user = versionOf(settings) === Version.V3 ? new User(settings) : undefined;
  }

  /** The PDU of a message, or why there is none to see. */
  open(frame: Buffer): OpenedMessage | string {
    const cursor = new Cursor().begin(frame);
    const version = openMessage(cursor);
    if (Number.isNaN(version)) return 'No message of SNMP';
    const content = version === Version.V3 ? this.#content(frame, cursor) : cursor;
    if (content === undefined) return 'A message of version 3 that cannot be decrypted';
    if (version !== Version.V3 && content.octets() === undefined) return 'A damaged message';
    const pdu = new Pdu();
    return pdu.read(content) ? { pdu, data: content.data } : 'A damaged message';
  }

  #content(frame: Buffer, cursor: Cursor): Cursor | undefined {
    const head = new SecuredHead();
    return this.#user !== undefined && head.read(frame, cursor) ? head.content(this.#user) : undefined;
  }
}

function explain({ pdu, data }: OpenedMessage, names: Names, tag: Point | undefined): FrameMeaning {
  const varbinds = new Varbinds().begin(data, pdu.start, pdu.end);
  const wanted = tag && parseAddress(tag.address, names);
  const objects: string[] = [];
  let count = 0;
  let isOfTag = false;
  while (varbinds.next()) {
    count++;
    const { name, value } = varbinds;
    if (wanted !== undefined && !isFault(wanted) && isAbout(name.content, wanted)) isOfTag = true;
    if (objects.length < mostObjects) objects.push(objectText(name, value, names));
  }
  const kind = pduNames.get(pdu.type) ?? `PDU 0x${pdu.type.toString(16)}`;
  const more = count > objects.length ? `, ${count - objects.length} more` : '';
  return { text: `${kind}${detailOf(pdu)}: ${objects.join(', ')}${more}`, isOfTag };
}

function detailOf({ type, status, index }: Pdu): string {
  if (type === PduType.GET_BULK) return ` (repeated ${index} times)`;
  if (type !== PduType.RESPONSE || status === 0) return '';
  const about = index === 0 ? '' : ` about object ${index}`;
  return ` (refused${about}: ${readRefused(status).message})`;
}

function objectText(name: Cursor, value: Cursor, names: Names): string {
  const oid = oidText(name.data, name.start, name.stop);
  const shown = oid === undefined ? 'a damaged identifier' : names.nameOf(oid);
  const absence = absences.get(value.tag);
  if (absence !== undefined) return `${shown}${absence}`;
  const syntax = oid === undefined ? undefined : names.nearest(oid)?.object.syntax;
  const text = textOf(value, syntax, undefined) ?? valueTypeName(value.tag);
  return `${shown} = ${text.length > mostText ? `${text.slice(0, mostText)}…` : text}`;
}

/** Whether an object is that of the address, or of the column in which the address looks for its row. */
function isAbout(oid: Buffer, address: Address): boolean {
  switch (address.kind) {
    case 'object':
      return oid.equals(address.oid);
    case 'row':
      return isBelow(oid, address.column) || isBelow(oid, address.key.column);
    case 'trap':
      return false;
  }
}
