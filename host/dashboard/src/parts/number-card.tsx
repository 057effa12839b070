import { Card } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Sparkline } from './sparkline.tsx';
import './number-card.css';

interface Props {
  readonly label: string;
  /** What is measured; undefined: not known. */
  readonly value: ReactNode;
  readonly unit?: string | undefined;
  /** What the number is to be held against. */
  readonly note?: ReactNode;
  readonly points?: readonly (number | null)[] | undefined;
  readonly color?: string;
}

/** One large number with its name, its context, and its last quarter of an hour. */
export function NumberCard({ label, value, unit, note, points, color }: Props): ReactElement {
  return (
    <Card className="number-card" padding={0}>
      <span className="label">{label}</span>
      <span className="value">
        {value ?? '–'}
        {unit !== undefined && value !== undefined && <small>{unit}</small>}
      </span>
      {note !== undefined && <span className="note">{note}</span>}
      {points !== undefined && points.length > 1 && (
        <span className="line">
          <Sparkline points={points} {...(color !== undefined && { color })} />
        </span>
      )}
    </Card>
  );
}
