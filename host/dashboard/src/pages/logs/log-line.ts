/** What a line of the log says. */
export interface LogLine {
  /** As the gateway writes it. */
  readonly time: string;
  readonly level: string;
  /** The node, or the gateway. */
  readonly source: string;
  readonly text: string;
}

const pattern = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \[([A-Z]+)\] ([^]*)$/;

/** The parts of a line; undefined for one of another form. A name that holds a colon and a space is cut there, between two columns. */
export function logLineOf(row: string): LogLine | undefined {
  const [, time, level, rest] = pattern.exec(row) ?? [];
  if (time === undefined || level === undefined || rest === undefined) return undefined;
  const at = rest.indexOf(': ');
  return at < 0
    ? { time, level, source: '', text: rest }
    : { time, level, source: rest.slice(0, at), text: rest.slice(at + 2) };
}
