import type { ReactElement } from 'react';

/** The mark of the product: three tags that meet. */
export const Mark = ({ size = 24 }: { readonly size?: number }): ReactElement => (
  <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden focusable="false">
    <rect width="24" height="24" rx="6" fill="var(--accent)" />
    <path d="M6.5 7.5h11M12 7.5v9.5" stroke="var(--on-accent)" strokeWidth="2" strokeLinecap="round" />
    {[
      [6.5, 7.5],
      [17.5, 7.5],
      [12, 17.2],
    ].map(([x, y]) => (
      <circle key={x} cx={x} cy={y} r="2" fill="var(--on-accent)" />
    ))}
  </svg>
);
