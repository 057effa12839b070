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
}

/** The figures of one run of the benchmark, in the order in which they were measured. */
export class Report {
  readonly figures: Figure[] = [];

  add(measurement: string, figure: string, value: number, unit: string, target?: Target): void {
    this.figures.push({ measurement, figure, value, unit, ...(target !== undefined && { target }) });
  }

  /** The table as text. */
  table(): string {
    const rows = this.figures.map(({ measurement, figure, value, unit, target }, index) => [
      measurement === this.figures[index - 1]?.measurement ? '' : measurement,
      figure,
      show(value),
      unit,
      target === undefined
        ? ''
        : `${target.most === undefined ? '≥' : '≤'} ${target.most ?? target.least ?? ''}`,
      target === undefined ? '' : meets(value, target) ? 'met' : 'missed',
    ]);
    const lines = [['measurement', 'figure', 'value', 'unit', 'target', ''], ...rows];
    const widths = [0, 1, 2, 3, 4, 5].map((column) =>
      Math.max(...lines.map((line) => (line[column] ?? '').length)),
    );
    const render = (line: readonly string[]): string =>
      line
        .map((cell, column) =>
          column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd();
    const rule = widths.map((width) => '─'.repeat(width)).join('  ');
    return [render(lines[0] ?? []), rule, ...lines.slice(1).map(render)].join('\n');
  }
}

function meets(value: number, { most = Infinity, least = -Infinity }: Target): boolean {
  return value <= most && value >= least;
}

function show(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}

/** The value below which a share of the values lies; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
