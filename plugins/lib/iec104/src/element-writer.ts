import { Quality } from '@tagway/sdk';
import { Kind, normalizedScale, QualityBit } from './elements.ts';

/** The quality octet for flags of `Quality`. */
export function descriptorOf(quality: number, isInvalid: boolean): number {
  let descriptor = isInvalid ? QualityBit.INVALID : 0;
  if ((quality & (Quality.STALE | Quality.UNCERTAIN)) !== 0) descriptor |= QualityBit.NOT_TOPICAL;
  if ((quality & (Quality.SUBSTITUTED | Quality.OVERRIDDEN)) !== 0) descriptor |= QualityBit.SUBSTITUTED;
  if ((quality & (Quality.BLOCKED | Quality.OUT_OF_SERVICE)) !== 0) descriptor |= QualityBit.BLOCKED;
  if ((quality & Quality.OVERFLOW) !== 0) descriptor |= QualityBit.OVERFLOW;
  return descriptor;
}

/**
 * Writes the information element of a monitored kind, and returns where it ends. The value is within the range of the kind; `descriptor` is the quality
 * octet, of a counter the octet with its sequence number. Points of switches have no overflow.
 */
export function writeElement(
  kind: Kind,
  value: number,
  descriptor: number,
  into: Buffer,
  at: number,
): number {
  switch (kind) {
    case Kind.SINGLE:
      return into.writeUInt8((value & 1) | (descriptor & 0xf0), at);
    case Kind.DOUBLE:
      return into.writeUInt8((value & 3) | (descriptor & 0xf0), at);
    case Kind.STEP:
      into[at] = value & 0x7f;
      return into.writeUInt8(descriptor, at + 1);
    case Kind.BIT_STRING:
      return into.writeUInt8(descriptor, into.writeUInt32LE(value >>> 0, at));
    case Kind.NORMALIZED:
      return into.writeUInt8(descriptor, into.writeInt16LE(normalizedSteps(value), at));
    case Kind.SCALED:
      return into.writeUInt8(descriptor, into.writeInt16LE(value, at));
    case Kind.SHORT_FLOAT:
      return into.writeUInt8(descriptor, into.writeFloatLE(value, at));
    case Kind.COUNTER:
      return into.writeUInt8(descriptor, into.writeInt32LE(value | 0, at));
    default:
      return at;
  }
}

/** 1 itself is one step less. */
function normalizedSteps(value: number): number {
  return Math.min(Math.round(value * normalizedScale), normalizedScale - 1);
}
