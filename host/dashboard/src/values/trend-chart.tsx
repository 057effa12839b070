import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { TagRecord } from '@tagway/schemas';
import { useEffect, useRef, type ReactElement } from 'react';
import Plot from 'uplot';
import type { LiveRow } from './live-row.ts';
import type { TrendBuffer } from './trend-buffer.ts';
import { emptyCurve, joinCurve } from './trend-curve.ts';
import { spans, type Span, type TagHistory } from './trend-history.ts';

/** Of the curves, in their order; the first four again as broken lines. */
export const colours = ['--curve-1', '--curve-2', '--curve-3', '--curve-4'] as const;

/** Of an axis at the right, whose lines would be too many. The library has names for the sides in its types alone. */
const right = { side: 1, grid: { show: false } } as object as Pick<Plot.Axis, 'side' | 'grid'>;

/** The value of a token in the colours that are shown. */
const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name);

const height = 220;

/** The unit of a tag, which has an axis of its own; empty where it has none. */
export const unitOf = ({ unit = '' }: TagRecord): string => unit;

interface Props {
  readonly rows: readonly LiveRow[];
  readonly buffer: TrendBuffer;
  readonly histories: readonly TagHistory[];
  readonly span: Span;
  readonly label: string;
}

/** A chart of the last minutes or hours of some tags, drawn again every second. */
export function TrendChart({ rows, buffer, histories, span, label }: Props): ReactElement {
  const scheme = useComputedColorScheme('light');
  const { ref, width } = useElementSize<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const latest = useRef(histories);
  const draw = useRef<() => void>(undefined);
  useEffect(() => {
    const container = frame.current;
    if (container === null || width === 0) return undefined;
    const data = (): Plot.AlignedData => joined(rows, buffer, latest.current);
    const plot = new Plot(optionsOf(rows, span, width), data(), container);
    draw.current = () => plot.setData(data());
    const timer = setInterval(() => draw.current?.(), 1000);
    return () => {
      clearInterval(timer);
      draw.current = undefined;
      plot.destroy();
    };
  }, [buffer, rows, scheme, span, width]);
  // After the chart of other tags was made, which has other curves.
  useEffect(() => {
    latest.current = histories;
    draw.current?.();
  }, [histories]);
  return (
    <div ref={ref}>
      <div ref={frame} role="img" aria-label={label} />
    </div>
  );
}

/** Three series a tag: its mean, and its smallest and largest values, between which there is a band. */
function optionsOf(rows: readonly LiveRow[], span: Span, width: number): Plot.Options {
  const axis = {
    stroke: token('--text-3'),
    font: '11px Inter, system-ui, sans-serif',
    grid: { stroke: token('--line'), width: 1 },
    ticks: { show: false },
  };
  const units = [...new Set(rows.map(({ tag }) => unitOf(tag)))];
  const stepped = Plot.paths.stepped && { paths: Plot.paths.stepped({ align: 1 }) };
  return {
    width,
    height,
    legend: { show: false },
    series: [
      {},
      ...rows.flatMap(({ tag }, index): Plot.Series[] => {
        const stroke = token(colours[index % colours.length]!);
        const scale = scaleOf(unitOf(tag));
        const edge = { scale, width: 0, points: { show: false }, ...stepped };
        const curve = {
          label: tag.name,
          scale,
          stroke,
          width: 1.8,
          points: { show: false },
          ...(index >= colours.length && { dash: [6, 4] }),
          ...stepped,
        };
        return [curve, edge, edge];
      }),
    ],
    bands: rows.map((_row, index) => ({
      series: [index * 3 + 3, index * 3 + 2],
      fill: `${token(colours[index % colours.length]!)}33`,
    })),
    axes: [
      { ...axis, space: 64, values: clockOf },
      ...units.map((unit, index) => ({
        ...axis,
        scale: scaleOf(unit),
        size: 60,
        // The lines of one axis are enough, and the others are at the right.
        ...(index > 0 && right),
        ...(unit !== '' && { label: unit, labelSize: 16, labelFont: axis.font }),
      })),
    ],
    scales: { x: { time: true, range: () => [(Date.now() - spans[span]) / 1000, Date.now() / 1000] } },
  };
}

/** The times of the page have 24 hours; lines nearer than a minute have their seconds. */
const clockOf = (_plot: Plot, seconds: number[], _axis: number, _space: number, step: number): string[] => {
  const style = { hour: '2-digit', minute: '2-digit', hour12: false } as const;
  const format = new Intl.DateTimeFormat(undefined, step < 60 ? { ...style, second: '2-digit' } : style);
  return seconds.map((second) => format.format(second * 1000));
};

/** The library takes an empty name for none. */
const scaleOf = (unit: string): string => `unit ${unit}`;

function joined(
  rows: readonly LiveRow[],
  buffer: TrendBuffer,
  histories: readonly TagHistory[],
): Plot.AlignedData {
  const now = Date.now();
  const curves = rows.map(({ node, group, tag }, index) =>
    joinCurve(histories[index]?.curve ?? emptyCurve, buffer.series({ node, group, name: tag.name }, now)),
  );
  const tables = curves.map(({ times, values, low, high }): Plot.AlignedData => [
    [...times],
    [...values],
    [...low],
    [...high],
  ]);
  return tables.every(([times]) => times.length === 0)
    ? [[], ...tables.flatMap(() => [[], [], []])]
    : Plot.join(tables);
}
