import { nameOnce, ratioOf, show, tableOf } from './report.ts';
import type { Figure, Report } from './report.ts';

/** One figure of this checkout's gateway and of the other one; entry `i` of both is from pair `i`. */
export interface PairedFigure extends Omit<Figure, 'value'> {
  readonly here: readonly number[];
  readonly there: readonly number[];
}

/** The figures that both reports of at least one pair hold. */
export function pairUp(here: readonly Report[], there: readonly Report[]): PairedFigure[] {
  const paired = new Map<string, PairedFigure & { here: number[]; there: number[] }>();
  for (const [index, report] of here.entries()) {
    for (const { value, ...row } of report.figures) {
      const other = there[index]?.valueOf(row.measurement, row.figure);
      if (other === undefined) continue;
      const key = `${row.measurement}\n${row.figure}`;
      const entry = paired.get(key) ?? { ...row, here: [], there: [] };
      entry.here.push(value);
      entry.there.push(other);
      paired.set(key, entry);
    }
  }
  return [...paired.values()];
}

/**
 * Least and greatest of what is left of the values, the same number cut off at both ends, so that it is where the median lies with a probability of at least 95 %, whatever the distribution: between the least and the greatest
 * of 6 to 8 values, and closer together of more (the interval of the sign test). Fewer than 6 values cannot be as certain:
 * theirs are the least and the greatest too.
 */
export function spreadOf(values: readonly number[]): { readonly from: number; readonly to: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  let cut = 0;
  /** Probability that at most `cut` of the values lie below the median. */
  let tail = 0.5 ** count;
  for (let ways = 1; ; cut += 1) {
    ways = (ways * (count - cut)) / (cut + 1);
    tail += ways * 0.5 ** count;
    if (!(2 * tail <= 0.05)) break;
  }
  return { from: sorted[cut] ?? NaN, to: sorted[count - 1 - cut] ?? NaN };
}

/** Fewer pairs than this decide nothing. */
const leastPairs = 6;

/** Whether a greater value of this figure is a better one: rates and what has a least value; all others are costs. */
function isGain({ unit, target }: Pick<Figure, 'unit' | 'target'>): boolean {
  return target?.least !== undefined || unit.endsWith('/s');
}

/** Better or worse when the whole spread of this row's ratios is, otherwise nothing. */
export function verdictOn(row: Pick<Figure, 'unit' | 'target'>, ratios: readonly number[]): string {
  if (ratios.length < leastPairs) return '';
  const { from, to } = spreadOf(ratios);
  if (from > 1) return isGain(row) ? 'better' : 'worse';
  if (to < 1) return isGain(row) ? 'worse' : 'better';
  return '';
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (low + (sorted[Math.floor(sorted.length / 2)] ?? NaN)) / 2;
}

/** A ratio in thousandths; a dash when there is none. */
const showRatio = (value: number): string => (Number.isFinite(value) ? value.toFixed(3) : '–');

/** The medians of both sides, the median of the pairs' ratios and their spread, as text. */
export function pairTable(figures: readonly PairedFigure[]): string {
  if (figures.length === 0) return 'Nothing could be measured on both sides.';
  const rows = figures.map((row, index) => {
    const { figure, unit, here, there } = row;
    const ratios = here.map((value, pair) => ratioOf(value, there[pair] ?? NaN));
    const known = ratios.filter((ratio) => !Number.isNaN(ratio));
    const { from, to } = spreadOf(known);
    return [
      ...[nameOnce(figures, index), figure],
      ...[show(median(here)), show(median(there)), unit, showRatio(median(known))],
      known.length === 0 ? '' : `${showRatio(from)} … ${showRatio(to)}`,
      verdictOn(row, known),
    ];
  });
  const count = (verdict: string): number => rows.filter((row) => row.at(-1) === verdict).length;
  const head = ['measurement', 'figure', 'here', 'there', 'unit', 'here ÷ there', 'spread', ''];
  const enough = figures.every(({ here }) => here.length >= leastPairs);
  const summary = enough
    ? `${count('worse')} of ${rows.length} figures are worse beyond their spread, ${count('better')} are better.`
    : `Fewer than ${leastPairs} pairs do not tell better from worse.`;
  return `${tableOf([head, ...rows], [2, 3, 5])}\n\n${summary}`;
}
