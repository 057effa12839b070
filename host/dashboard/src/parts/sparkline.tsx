import type { ReactElement } from 'react';

interface Props {
  /** The oldest first; null where nothing was known, which leaves a gap. */
  readonly points: readonly (number | null)[];
  readonly width?: number;
  readonly height?: number;
  readonly color?: string;
}

/** A line of the last quarter of an hour, to be seen beside the number that it belongs to. It begins at zero. */
export function Sparkline({ points, width = 96, height = 22, color = 'var(--calm)' }: Props): ReactElement {
  const known = points.filter((point) => point !== null);
  const top = Math.max(...known, 0);
  const low = known.length > 0 ? Math.min(...known) : 0;
  // A line that moves by less than a tenth of its height would look like none.
  const from = top > 0 && low > 0.8 * top ? low - (top - low) : 0;
  const x = (index: number): string => ((index / Math.max(points.length - 1, 1)) * width).toFixed(1);
  const y = (value: number): string =>
    (height - 1 - ((value - from) / (top - from || 1)) * (height - 2)).toFixed(1);
  const line = points
    .map((point, index) =>
      point === null ? '' : `${index === 0 || points[index - 1] === null ? 'M' : 'L'}${x(index)} ${y(point)}`,
    )
    .join('');
  const isWhole = known.length === points.length && known.length > 1;
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden focusable="false">
      {isWhole && <path d={`${line}L${width} ${height}L0 ${height}Z`} fill={color} opacity={0.12} />}
      <path d={line} fill="none" stroke={color} strokeWidth={1.5} strokeLinejoin="round" />
    </svg>
  );
}
