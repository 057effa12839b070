/**
 * Reads the extensions of a license and writes the gateway's own certificate, which node:crypto cannot do. A kept library costs more than these
 * lines: @peculiar/x509 with its 17 packages is 365 kB in the bundle and 16 MB of memory once it is loaded; asn1js is 73 kB and 2.5 MB and
 * would replace this file alone; node-forge 1.4.3 refuses keys on P-256 ("Unknown OID").
 */

/** An element of ASN.1 in the distinguished encoding rules, ITU-T X.690. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

export const DerTag = {
  BOOLEAN: 0x01,
  INTEGER: 0x02,
  BIT_STRING: 0x03,
  OCTET_STRING: 0x04,
  OBJECT_IDENTIFIER: 0x06,
  UTF8_STRING: 0x0c,
  PRINTABLE_STRING: 0x13,
  IA5_STRING: 0x16,
  UTC_TIME: 0x17,
  SEQUENCE: 0x30,
  SET: 0x31,
  /** Of the extensions in a certificate. */
  EXPLICIT_3: 0xa3,
} as const;

/** The elements that follow each other in some bytes. Throws when they are not whole. */
export function derElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = byteAt(bytes, at);
    let length = byteAt(bytes, at + 1);
    at += 2;
    if (length >= 0x80) {
      const size = length & 0x7f;
      if (size === 0 || size > 4) throw new Error('An element has no definite length.');
      length = 0;
      for (let i = 0; i < size; i++) length = length * 256 + byteAt(bytes, at + i);
      at += size;
    }
    if (at + length > bytes.length) throw new Error('An element is cut off.');
    elements.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return elements;
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new Error('An element is cut off.');
  return byte;
}

/** An element with these contents, one after the other. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Uint8Array.of(tag, length), content]);
  const size = length < 0x100 ? 1 : 2;
  const header = Buffer.alloc(2 + size);
  header[0] = tag;
  header[1] = 0x80 | size;
  header.writeUIntBE(length, 2, size);
  return Buffer.concat([header, content]);
}

/** The element of an object identifier such as 2.5.29.17. */
export function derOid(dotted: string): Buffer {
  const [root = 0, first = 0, ...others] = dotted.split('.').map(Number);
  const bytes = [root * 40 + first, ...others].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128))
      groups.unshift((rest & 0x7f) | 0x80);
    return groups;
  });
  return der(DerTag.OBJECT_IDENTIFIER, Uint8Array.from(bytes));
}

/** An object identifier in dotted form, such as 2.5.29.17. */
export function oidOf({ content }: DerElement): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of content) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0n;
    }
  }
  const [first = 0n, ...others] = arcs;
  const root = first >= 80n ? 2n : first / 40n;
  return [root, first - root * 40n, ...others].join('.');
}

/** A natural number below 2^32. Throws for any other element. */
export function naturalOf({ tag, content }: DerElement): number {
  const number = content.reduce((value, byte) => value * 256 + byte, 0);
  const isNatural = tag === DerTag.INTEGER && content.length > 0 && byteAt(content, 0) < 0x80;
  if (!isNatural || number > 0xffff_ffff) throw new Error('A number is out of range.');
  return number;
}

/** A text. Throws for an element of another type. */
export function textOf({ tag, content }: DerElement): string {
  const tags: readonly number[] = [DerTag.UTF8_STRING, DerTag.PRINTABLE_STRING, DerTag.IA5_STRING];
  if (!tags.includes(tag)) throw new Error('A text is expected.');
  return new TextDecoder('utf-8', { fatal: true }).decode(content);
}
