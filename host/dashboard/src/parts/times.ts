/** Times in the zone of whoever looks, with its name: a plant and its office may lie in different ones. */
const format = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false, timeZoneName: 'short' },
});

/** A time in milliseconds since 1970. */
export const timeText = (milliseconds: number): string => format.format(milliseconds);
