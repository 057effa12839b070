import type { Input } from '../input.ts';
import type { Kind, Operand } from '../kinds.ts';

/** A compiled part of an expression. */
export interface Part {
  readonly kind: Kind;
  /** Calculates it. Throws the fault when there is no value. */
  readonly run: () => Operand;
  /** The tags that it reads. */
  readonly inputs: readonly Input[];
  /** What stands in the expression itself, not calculated. */
  readonly literal?: Operand;
}

/** What the parts of one expression share while it is calculated. */
export interface Scope {
  /** The time of the evaluation, in milliseconds since the epoch. */
  now: number;
  /** Flags of all inputs that were read. */
  quality: number;
}

const none: readonly Input[] = [];

export function inputsOf(parts: readonly Part[]): readonly Input[] {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first.inputs;
  const all = new Set(parts.flatMap((part) => part.inputs));
  return all.size === 0 ? none : [...all];
}

/** A part that is calculated from others. */
export function partOf(kind: Kind, from: readonly Part[], run: () => Operand): Part {
  return { kind, run, inputs: inputsOf(from) };
}

/** A part that stands in the expression itself. */
export function literalPart(kind: Kind, literal: Operand): Part {
  return { kind, literal, run: () => literal, inputs: none };
}
