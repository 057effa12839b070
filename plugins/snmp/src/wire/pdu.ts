import { Cursor, encoded, integer, octets, Tag } from './ber.ts';

/** What a message asks for or says (RFC 3416, section 3). */
export const PduType = {
  GET: 0xa0,
  GET_NEXT: 0xa1,
  RESPONSE: 0xa2,
  SET: 0xa3,
  TRAP_V1: 0xa4,
  GET_BULK: 0xa5,
  INFORM: 0xa6,
  TRAP: 0xa7,
  REPORT: 0xa8,
} as const;

/** Versions as messages have them. */
export const Version = { V1: 0, V2C: 1, V3: 3 } as const;

export const ErrorStatus = {
  NONE: 0,
  TOO_BIG: 1,
  NO_SUCH_NAME: 2,
  BAD_VALUE: 3,
  READ_ONLY: 4,
  GEN_ERR: 5,
  WRONG_TYPE: 7,
  WRONG_LENGTH: 8,
  WRONG_VALUE: 10,
  COMMIT_FAILED: 14,
  UNDO_FAILED: 15,
} as const;

const nothing = Buffer.of(Tag.NULL, 0);

/** One object of a request, without a value. */
export const asked = (oid: Buffer): Buffer => encoded(Tag.SEQUENCE, encoded(Tag.OID, oid), nothing);

/** One object with its value, which is encoded already. */
export const bound = (oid: Buffer, value: Buffer): Buffer =>
  encoded(Tag.SEQUENCE, encoded(Tag.OID, oid), value);

export interface PduParts {
  readonly id: number;
  /** The error status of a response, or how many objects of a GETBULK are not repeated. */
  readonly status?: number;
  /** The error index of a response, or how often the others are repeated. */
  readonly index?: number;
  /** Objects one after the other. */
  readonly varbinds: Buffer;
}

export function pdu(type: number, { id, status = 0, index = 0, varbinds }: PduParts): Buffer {
  return encoded(type, integer(id), integer(status), integer(index), encoded(Tag.SEQUENCE, varbinds));
}

/** A message of version 1 or 2c. */
export function communityMessage(version: number, community: Buffer, body: Buffer): Buffer {
  return encoded(Tag.SEQUENCE, integer(version), octets(community), body);
}

/** The version of a message; NaN when it is none. The cursor is behind it. */
export function openMessage(cursor: Cursor): number {
  return cursor.open(Tag.SEQUENCE) ? cursor.int() : NaN;
}

/** The head of a PDU other than a trap of version 1. */
export class Pdu {
  type = 0;
  id = 0;
  status = 0;
  index = 0;
  /** Where its objects are in the data. */
  start = 0;
  end = 0;

  /** Reads the PDU that the cursor is before. */
  read(cursor: Cursor): boolean {
    if (!cursor.next()) return false;
    this.type = cursor.tag;
    cursor.at = cursor.start;
    cursor.end = cursor.stop;
    this.id = cursor.int();
    this.status = cursor.int();
    this.index = cursor.int();
    if (Number.isNaN(this.id + this.status + this.index) || !cursor.expect(Tag.SEQUENCE)) return false;
    this.start = cursor.start;
    this.end = cursor.stop;
    return true;
  }
}

/** Goes through the objects of a PDU: `next` moves to one, and `value` is then at its value. */
export class Varbinds {
  /** At the identifier after `next`, as content. */
  readonly name = new Cursor();
  readonly value = new Cursor();
  #rest = new Cursor();

  begin(data: Buffer, start = 0, end = data.length): this {
    this.#rest.begin(data, start, end);
    return this;
  }

  /** False: there is no further object, or it is damaged. */
  next(): boolean {
    const rest = this.#rest;
    if (!rest.expect(Tag.SEQUENCE)) return false;
    this.name.begin(rest.data, rest.start, rest.stop);
    if (!this.name.expect(Tag.OID)) return false;
    this.value.begin(rest.data, this.name.at, rest.stop);
    return this.value.next() && this.value.at === rest.stop;
  }

  /** Whether the object has this identifier, given as content. */
  is(oid: Buffer): boolean {
    const { data, start, stop } = this.name;
    if (stop - start !== oid.length) return false;
    // From the end, where identifiers differ; for so few bytes a loop is faster than a call into native code.
    for (let at = oid.length - 1; at >= 0; at--) if (data[start + at] !== oid[at]) return false;
    return true;
  }

  /** The identifier as a copy. */
  get oid(): Buffer {
    return Buffer.from(this.name.content);
  }
}
