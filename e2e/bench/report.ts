import { nameOnce, show, tableOf } from './table.ts';

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
   * Says how a cost per value or per node has grown since the next smaller size, which has been measured before: 1 or less is linear or
   * better, and a tenth more is within what a machine varies by itself.
   */
  addGrowth(measurement: string, figure: string, smaller: string): void {
    const [before, now] = [this.valueOf(smaller, figure), this.valueOf(measurement, figure)];
    if (before === undefined || now === undefined) return;
    this.add(measurement, `${figure} ÷ that of ${smaller}`, ratioOf(now, before), '', { most: 1.1 });
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

/** Whether a greater value of this figure is a better one: rates and what has a least value; all others are costs. */
export function isGain({ unit, target }: Pick<Figure, 'unit' | 'target'>): boolean {
  return target?.least !== undefined || unit.endsWith('/s');
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
