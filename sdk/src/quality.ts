/**
 * How far a device vouches for a value, as flags; 0 is good. The low 16 bits mean the same in every driver, the
 * high 16 are the protocol's own. A value that is invalid is not a quality: it is a fault of its point.
 */
export const Quality = {
  GOOD: 0,
  /** The device does not vouch for the value (OPC UA: status Uncertain). */
  UNCERTAIN: 0x0001,
  /** The value was not refreshed lately (IEC 60870-5: not topical). */
  STALE: 0x0002,
  /** An operator or a program has put the value in (IEC 60870-5: substituted). */
  SUBSTITUTED: 0x0004,
  /** The value is held back and may have changed since (IEC 60870-5: blocked). */
  BLOCKED: 0x0008,
  /** The value lies beyond what the device can measure. */
  OVERFLOW: 0x0010,
  /** The time stamp is not to be trusted. */
  TIME_INVALID: 0x0020,
  /** The point is in alarm (BACnet: in-alarm). */
  ALARM: 0x0040,
  /** The value is overridden at the device (BACnet: overridden). */
  OVERRIDDEN: 0x0080,
  /** The point is taken out of service (BACnet: out-of-service). */
  OUT_OF_SERVICE: 0x0100,
} as const;
