/**
 * What the data identifiers of DL/T 645-2007, annex A, say of the coding of an item beyond its length: most are decimal digits, two in
 * a byte, the lowest byte first. An identifier is a number with DI3 in its highest byte.
 */

/** Bytes of one part of a block of measurements, by DI2 (table A.3). */
const measurementSizes: Readonly<Record<number, number>> = {
  0x01: 2,
  0x02: 3,
  0x03: 3,
  0x04: 3,
  0x05: 3,
  0x06: 2,
  0x07: 2,
  0x08: 2,
  0x09: 2,
  0x0a: 2,
  0x0b: 2,
};

/** Bytes of one part of a block, 0 when that is not known. */
export function partSize(identifier: number): number {
  const di3 = identifier >>> 24;
  const di2 = (identifier >>> 16) & 0xff;
  const di1 = (identifier >>> 8) & 0xff;
  if (di3 === 0x00) return 4;
  if (di3 === 0x01) return demandSize;
  if (di3 === 0x02) return measurementSizes[di2] ?? 0;
  if (di3 === 0x05) return frozenSize(di1);
  if (isStatus(identifier)) return di1 === 0x05 ? 2 : 1;
  return 0;
}

/** Whether an item has several parts: frozen data, and identifiers with FF in place of a phase, a tariff or a settlement day (annex A). */
export function isBlock(identifier: number): boolean {
  const bytes = [identifier >>> 24, identifier >>> 16, identifier >>> 8, identifier];
  return partSize(identifier) > 0 && (bytes[0] === 0x05 || bytes.some((byte) => (byte & 0xff) === 0xff));
}

/** A demand: three bytes of value, five of the time at which it occurred (table A.2). */
export const demandSize = 8;
export const demandValueSize = 3;

/** Frozen data (table A.5): the time, energies, demands, powers. */
function frozenSize(di1: number): number {
  if (di1 === 0x00) return 5;
  if (di1 >= 0x01 && di1 <= 0x08) return 4;
  if (di1 === 0x09 || di1 === 0x0a) return demandSize;
  return di1 === 0x10 ? 3 : 0;
}

/** Whether an item is a demand, whose time follows its value. */
export function isDemand(identifier: number): boolean {
  const di3 = identifier >>> 24;
  return di3 === 0x01 || (di3 === 0x05 && partSize(identifier) === demandSize);
}

/** Words of status (04-00-05) and of features (04-00-06) are bits, not digits. */
export function isStatus(identifier: number): boolean {
  const group = identifier >>> 8;
  return group === 0x04_00_05 || group === 0x04_00_06;
}

/** Asset number, rated values, classes, model, date of production, version of the protocol: ASCII (table A.4). */
export function isText(identifier: number): boolean {
  if (identifier >>> 8 !== 0x04_00_04) return false;
  const di0 = identifier & 0xff;
  return (di0 >= 0x03 && di0 <= 0x08) || (di0 >= 0x0b && di0 <= 0x0d);
}
