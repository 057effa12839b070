/**
 * CP56Time2a (IEC 60870-5-101, 7.2.6.18): milliseconds of the minute (2 octets), minute with IV, hour with SU, day of month and of week,
 * month, year of the century.
 */

export const timeSize = 7;

const minute = 60_000;

/** Bit of the octet of minutes: the time is invalid. */
const invalidBit = 0x80;

/** Bit of the octet of hours: summer time. */
const summerBit = 0x80;

/** Whether the station marks its own time as invalid. */
export function isTimeInvalid(data: Buffer, at: number): boolean {
  return (data[at + 2]! & invalidBit) !== 0;
}

/** Milliseconds since the epoch of a time of a station whose standard time is `utcOffset` minutes ahead of UTC; NaN for a time that is invalid or in no calendar. */
export function readTime(data: Buffer, at: number, utcOffset: number): number {
  const milliseconds = data.readUInt16LE(at);
  const minutes = data[at + 2]! & 0x3f;
  const hourOctet = data[at + 3]!;
  const hours = hourOctet & 0x1f;
  const day = data[at + 4]! & 0x1f;
  const month = data[at + 5]! & 0x0f;
  const year = data[at + 6]! & 0x7f;
  if (milliseconds >= minute || minutes > 59 || hours > 23 || day < 1 || month < 1 || month > 12 || year > 99)
    return NaN;
  const local = Date.UTC(2000 + year, month - 1, day, hours, minutes, 0, milliseconds);
  // Date.UTC takes 31 February for 2 March.
  if (day > 28 && new Date(local).getUTCDate() !== day) return NaN;
  const ahead = utcOffset + ((hourOctet & summerBit) === 0 ? 0 : 60);
  return local - ahead * minute;
}

/** The standard time of such a station; the day of the week counts from 1 on Mondays. */
export function timeOf(now: number, utcOffset: number): Buffer {
  const time = Buffer.alloc(timeSize);
  writeTime(now, utcOffset, false, time, 0);
  return time;
}

/** Writes that time, and returns where it ends. A time that is in no calendar is marked as invalid. */
export function writeTime(
  time: number,
  utcOffset: number,
  isInvalid: boolean,
  into: Buffer,
  at: number,
): number {
  const isKnown = Number.isFinite(time);
  const local = new Date((isKnown ? time : 0) + utcOffset * minute);
  into.writeUInt16LE(local.getUTCSeconds() * 1000 + local.getUTCMilliseconds(), at);
  into[at + 2] = local.getUTCMinutes() | (isInvalid || !isKnown ? invalidBit : 0);
  into[at + 3] = local.getUTCHours();
  into[at + 4] = local.getUTCDate() | ((local.getUTCDay() || 7) << 5);
  into[at + 5] = local.getUTCMonth() + 1;
  into[at + 6] = local.getUTCFullYear() % 100;
  return at + timeSize;
}
