import type { Health } from '@tagway/schemas';
import type { ReactElement } from 'react';
import './health-mark.css';

interface Props {
  readonly health: Health;
}

/** A dot, a diamond, a square or a ring: a state that is seen without its colour, too. */
export const HealthMark = ({ health }: Props): ReactElement => (
  <span className={`health-mark ${health}`} aria-hidden />
);
