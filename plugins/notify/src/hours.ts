/** A time of the week in a zone. */
export interface LocalTime {
  /** 0 is Monday. */
  readonly day: number;
  /** Minutes since midnight. */
  readonly minute: number;
  /** Such as 2026-01-31. */
  readonly date: string;
}

interface Span {
  readonly days: ReadonlySet<number>;
  readonly from: number;
  readonly to: number;
}

const dayNames = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const span = /^(?:(?<days>[a-z]{3}(?:-[a-z]{3})?)\s+)?(?<from>\d\d:\d\d)-(?<to>\d\d:\d\d)$/;

/** Hours of a week: `mon-fri 06:00-22:00, sat 22:00-06:00`. Those over midnight belong to the day on which they begin. */
export class Hours {
  readonly #spans: readonly Span[];

  private constructor(spans: readonly Span[]) {
    this.#spans = spans;
  }

  /** Undefined for a text that is none. */
  static of(text: string): Hours | undefined {
    const spans = text.split(',').map((part) => spanOf(part.trim().toLowerCase()));
    return spans.every((one) => one !== undefined) ? new Hours(spans) : undefined;
  }

  has({ day, minute }: LocalTime): boolean {
    return this.#spans.some(({ days, from, to }) => {
      if (from < to) return days.has(day) && minute >= from && minute < to;
      return (days.has(day) && minute >= from) || (days.has((day + 6) % 7) && minute < to);
    });
  }
}

/** The minutes since midnight of `HH:MM`, with 24:00 as the end of a day; undefined for another text. */
export function minuteOf(text: string): number | undefined {
  const [hour, minute] = text.split(':').map(Number);
  if (!/^\d\d:\d\d$/.test(text) || hour! > 24 || minute! > 59 || (hour === 24 && minute !== 0))
    return undefined;
  return hour! * 60 + minute!;
}

function spanOf(text: string): Span | undefined {
  const { days, from, to } = span.exec(text)?.groups ?? {};
  const begin = minuteOf(from ?? '');
  const end = minuteOf(to ?? '');
  const week = days === undefined ? dayNames.keys() : daysOf(days);
  return begin === undefined || end === undefined || week === undefined
    ? undefined
    : { days: new Set(week), from: begin, to: end };
}

function daysOf(text: string): number[] | undefined {
  const [first, last = first] = text.split('-').map((name) => dayNames.indexOf(name));
  if (first === undefined || last === undefined || first < 0 || last < 0) return undefined;
  const count = ((last - first + 7) % 7) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) % 7);
}

/** The clock of a time zone, with its changes to summer time and back. */
export class ZoneClock {
  readonly #parts: Intl.DateTimeFormat;
  readonly #shown: Intl.DateTimeFormat;
  /** The last answer: it holds for its minute. */
  #last: { readonly minute: number; readonly time: LocalTime } | undefined;

  /** Throws a RangeError for a zone that there is not. */
  constructor(timeZone: string) {
    const common = { timeZone, hourCycle: 'h23' } as const;
    const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    const time = { hour: '2-digit', minute: '2-digit' } as const;
    this.#parts = new Intl.DateTimeFormat('en-US', { ...common, ...digits, ...time, weekday: 'short' });
    this.#shown = new Intl.DateTimeFormat('sv-SE', { ...common, ...digits, ...time, second: '2-digit' });
  }

  at(now: number): LocalTime {
    const minute = Math.floor(now / 60_000);
    if (this.#last?.minute === minute) return this.#last.time;
    const parts = Object.fromEntries(this.#parts.formatToParts(now).map(({ type, value }) => [type, value]));
    const { weekday = '', year = '', month = '', day = '', hour, minute: of } = parts;
    const time = {
      day: dayNames.indexOf(weekday.toLowerCase()),
      minute: Number(hour) * 60 + Number(of),
      date: `${year}-${month}-${day}`,
    };
    this.#last = { minute, time };
    return time;
  }

  /** Such as 2026-01-31 08:15:00. */
  text(time: number): string {
    return this.#shown.format(time);
  }
}
