import type { ReactElement } from 'react';

interface Props {
  readonly children: string;
  readonly className?: string;
}

/** A text from outside, such as a name: its direction and its control characters do not reach what stands beside it. */
export const Isolated = ({ children, className }: Props): ReactElement => (
  <bdi {...(className !== undefined && { className })}>{children}</bdi>
);
