import type { ReactElement } from 'react';
import { shortTimeText, timeText } from './times.ts';

/** A time in a row, in milliseconds since 1970: of today the clock alone. Its title says the whole. */
export function Time({ at }: { readonly at: number }): ReactElement {
  return (
    <time dateTime={new Date(at).toISOString()} title={timeText(at)} className="number">
      {shortTimeText(at)}
    </time>
  );
}
