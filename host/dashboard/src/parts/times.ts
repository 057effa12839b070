/** Times in the time zone of the user, with its name: the plant may be in a different zone. */
const format = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
  timeZoneName: 'short',
});

/** A time in milliseconds since 1970. */
export const timeText = (milliseconds: number): string => format.format(milliseconds);

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});

/** The clock alone for a time of today, for places where the whole time is said as well. */
export function shortTimeText(milliseconds: number): string {
  const isToday = new Date(milliseconds).toDateString() === new Date().toDateString();
  return isToday ? clock.format(milliseconds) : timeText(milliseconds);
}
