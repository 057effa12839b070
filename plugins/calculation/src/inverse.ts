import { inverse } from '@tagway/expression';
import { parseReference, type Reference } from '@tagway/sdk';

/** The tag that a written value goes to, and the value that is written there. */
export interface Inverse {
  readonly target: Reference;
  /** What the target has to be for the expression to give `value`. Absent: the same. */
  readonly toTarget?: (value: number) => number;
}

/** Where a written value goes, undefined when the expression does not stand for one other tag. */
export function inverseOf(address: string): Inverse | undefined {
  const found = inverse(address);
  const target = found && parseReference(found.reference);
  if (found === undefined || target === undefined) return undefined;
  return found.toInput === undefined ? { target } : { target, toTarget: found.toInput };
}
