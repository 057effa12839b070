import { Cursor, Tag } from '../wire/ber.ts';
import { subidentifiers, numbersOf } from '../wire/oid.ts';
import { PduType, Varbinds, type Pdu } from '../wire/pdu.ts';

/** snmpTrapOID.0 and what the usual notifications of version 1 begin with (RFC 3584, section 3.1). */
const trapOid = Buffer.from('2b060106030101040100', 'hex');
const usualTraps = Buffer.from('2b0601060301010500', 'hex').subarray(0, 8);
const enterpriseSpecific = 6;
/** Most objects of a notification that are looked at. */
const mostObjects = 256;

/** One object of a notification: its identifier as content, and its value with its tag. */
export interface TrapObject {
  readonly oid: Buffer;
  readonly value: Buffer;
}

/** What an agent reports by itself. */
export interface Notification {
  /** Which one it is. One of version 1 has a second name in modules that were written for it: without the zero before its number. */
  readonly oids: readonly Buffer[];
  readonly objects: readonly TrapObject[];
  /** Whether its sender wants to know that it arrived. */
  readonly isInform: boolean;
}

/** Reads the notification that the cursor is before; undefined when it is none. Nothing of it shares the memory of the datagram. */
export function readNotification(cursor: Cursor, pdu: Pdu): Notification | undefined {
  const { data, at } = cursor;
  if (data[at] === PduType.TRAP_V1) return readFirstVersion(cursor);
  const isInform = data[at] === PduType.INFORM;
  if ((!isInform && data[at] !== PduType.TRAP) || !pdu.read(cursor)) return undefined;
  const objects = objectsOf(data, pdu.start, pdu.end);
  const named = objects?.find(({ oid }) => oid.equals(trapOid));
  if (objects === undefined || named === undefined) return undefined;
  const name = new Cursor().begin(named.value);
  if (!name.expect(Tag.OID)) return undefined;
  return { oids: [name.content], objects: objects.filter((one) => one !== named), isInform };
}

function readFirstVersion(cursor: Cursor): Notification | undefined {
  if (!cursor.open(PduType.TRAP_V1) || !cursor.expect(Tag.OID)) return undefined;
  const enterprise = Buffer.from(cursor.content);
  // The address of the agent, which a relay of notifications keeps, says nothing that can be trusted.
  if (!cursor.expect(Tag.IP_ADDRESS)) return undefined;
  const generic = cursor.int();
  const specific = cursor.int();
  if (!cursor.expect(Tag.TIME_TICKS) || !cursor.expect(Tag.SEQUENCE)) return undefined;
  if (!(generic >= 0 && generic <= enterpriseSpecific && specific >= 0)) return undefined;
  const objects = objectsOf(cursor.data, cursor.start, cursor.stop);
  if (objects === undefined || numbersOf(enterprise) === undefined) return undefined;
  const oids =
    generic < enterpriseSpecific
      ? [Buffer.concat([usualTraps, subidentifiers([generic + 1])])]
      : [
          Buffer.concat([enterprise, subidentifiers([0, specific])]),
          Buffer.concat([enterprise, subidentifiers([specific])]),
        ];
  return { oids, objects, isInform: false };
}

function objectsOf(data: Buffer, start: number, end: number): readonly TrapObject[] | undefined {
  const objects: TrapObject[] = [];
  const varbinds = new Varbinds().begin(data, start, end);
  while (varbinds.next() && objects.length < mostObjects) {
    const value = Buffer.from(data.subarray(varbinds.name.at, varbinds.value.stop));
    objects.push({ oid: varbinds.oid, value });
  }
  return start < end && objects.length === 0 ? undefined : objects;
}
