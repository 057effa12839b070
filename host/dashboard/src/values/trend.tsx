import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import Plot from 'uplot';
import { useWant } from '../live/use-live.ts';
import type { TagReference } from './references.ts';
import { span, TrendBuffer } from './trend-buffer.ts';

/** Of the curves, in their order; the first four again as broken lines. */
const colours = ['--curve-1', '--curve-2', '--curve-3', '--curve-4'] as const;

/** The value of a token in the colours that are shown. */
const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name);

const height = 220;

/** A chart of some tags over the last minutes, updated every second. */
export default function Trend({ picks }: { readonly picks: readonly TagReference[] }): ReactElement {
  const { t } = useTranslation();
  const scheme = useComputedColorScheme('light');
  const { ref, width } = useElementSize<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const [buffer] = useState(() => new TrendBuffer());
  const want = useWant();
  useEffect(() => buffer.start(), [buffer]);
  useEffect(() => {
    buffer.pick(picks);
    want(picks.map(({ node, group, name }) => ({ node, group, tags: [name] })));
  }, [buffer, picks, want]);

  useEffect(() => {
    const container = frame.current;
    if (container === null || width === 0) return undefined;
    const axis = {
      stroke: token('--text-3'),
      font: '11px Inter, system-ui, sans-serif',
      grid: { stroke: token('--line'), width: 1 },
      ticks: { show: false },
    };
    const plot = new Plot(
      {
        width,
        height,
        series: [
          {},
          ...picks.map(({ name }, index) => ({
            label: name,
            stroke: token(colours[index % colours.length]!),
            width: 1.8,
            points: { show: false },
            ...(index >= colours.length && { dash: [6, 4] }),
            ...(Plot.paths.stepped && { paths: Plot.paths.stepped({ align: 1 }) }),
          })),
        ],
        axes: [axis, { ...axis, size: 70 }],
        scales: { x: { time: true, range: (_plot, first) => rangeFrom(first) } },
      },
      joined(buffer),
      container,
    );
    const timer = setInterval(() => plot.setData(joined(buffer)), 1000);
    return () => {
      clearInterval(timer);
      plot.destroy();
    };
  }, [buffer, picks, scheme, width]);

  const label = t('live.trendOf', { tags: picks.map(({ name }) => name).join(', ') });
  return (
    <div ref={ref}>
      <div ref={frame} role="img" aria-label={label} />
    </div>
  );
}

/** The time range in seconds: from the first value on, but at least one minute, so that a new trend is not at the edge. */
function rangeFrom(first: number | null): [number, number] {
  const now = Date.now() / 1000;
  return [Math.max(now - span / 1000, Math.min(first ?? now, now - 60)), now];
}

function joined(buffer: TrendBuffer): Plot.AlignedData {
  const series = buffer.series(Date.now());
  return series.every(([times]) => times.length === 0) ? [[], ...series.map(() => [])] : Plot.join(series);
}
