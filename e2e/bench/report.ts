/** What a figure is to reach. */
export interface Target {
  readonly most?: number;
  readonly least?: number;
}

export interface Figure {
  /** What was measured, for example "10k tags @ 100 ms". */
  readonly measurement: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: Target;
  /** The measurement by which it is chosen with --only. */
  readonly group?: string;
}

/** The figures of one run of the benchmark, in the order in which they were measured. */
export class Report {
  readonly figures: Figure[] = [];
  /** What is being measured, as --list names it. */
  group = '';

  add(measurement: string, figure: string, value: number, unit: string, target?: Target): void {
    const { group } = this;
    this.figures.push({ measurement, figure, value, unit, ...(target !== undefined && { target }), group });
  }

  /** A figure that was measured before, or undefined. */
  valueOf(measurement: string, figure: string): number | undefined {
    return this.figures.find((row) => row.measurement === measurement && row.figure === figure)?.value;
  }

  /**
   * Adds how a cost per value or per node has grown since the next smaller size, if that was measured before: 1 or less is linear or
   * better, and a tenth more is within what a machine varies by itself.
   */
  addGrowth(measurement: string, figure: string, smaller: string | undefined): void {
    const before = smaller === undefined ? undefined : this.valueOf(smaller, figure);
    const now = this.valueOf(measurement, figure);
    if (before === undefined || now === undefined) return;
    this.add(measurement, `${figure} ÷ that of ${smaller}`, ratioOf(now, before), '', { most: 1.1 });
  }

  /** Adds the median and the 99th percentile of some times. `what` is what the figures are called before `p50` and `p99`. */
  addPercentiles(
    measurement: string,
    what: string,
    times: readonly number[],
    { p50, p99, when = '' }: Partial<Record<'p50' | 'p99', Target | undefined>> & { when?: string } = {},
  ): void {
    this.add(measurement, `${what} p50${when}`, percentile(times, 0.5), 'ms', p50);
    this.add(measurement, `${what} p99${when}`, percentile(times, 0.99), 'ms', p99);
  }

  /** Whether a figure does not reach what it is to reach. */
  get hasMissed(): boolean {
    return this.figures.some(({ value, target }) => target !== undefined && !meets(value, target));
  }

  /** The table as text. */
  table(): string {
    const rows = this.figures.map((one, index) => [
      nameOnce(this.figures, index),
      one.figure,
      show(one.value),
      one.unit,
      ...judged(one),
    ]);
    return tableOf([['measurement', 'figure', 'value', 'unit', 'target', ''], ...rows], [2]);
  }
}

/** The target of a figure and whether it is met, as two cells of a table. */
export function judged({ value, target }: Figure): readonly [target: string, verdict: string] {
  if (target === undefined) return ['', ''];
  const bound = `${target.most === undefined ? '≥' : '≤'} ${target.most ?? target.least ?? ''}`;
  return [bound, meets(value, target) ? 'met' : 'missed'];
}

function meets(value: number, { most = Infinity, least = -Infinity }: Target): boolean {
  return value <= most && value >= least;
}

/** How many times `before` a value is; NaN when that cannot be said. */
export function ratioOf(value: number, before: number): number {
  return value === before ? 1 : before === 0 ? NaN : value / before;
}

/** The value below which a share of the values lies; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Columns of text beside each other, the first line as the head; `right` are the columns of numbers. */
export function tableOf(lines: readonly (readonly string[])[], right: readonly number[]): string {
  const [head = [], ...rows] = lines;
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const render = (line: readonly string[]): string =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width));
  return [render(head), render(rule), ...rows.map(render)].join('\n');
}

/** The measurement's name, or nothing where the row above has the same. */
export function nameOnce(rows: readonly { readonly measurement: string }[], index: number): string {
  const name = rows[index]?.measurement ?? '';
  return name === rows[index - 1]?.measurement ? '' : name;
}

/** A figure in about three digits; a dash when it could not be measured. */
export function show(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
