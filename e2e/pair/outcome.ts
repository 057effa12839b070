/** What a part of the trial found. */
export interface Outcome {
  /** Figures, one sentence or row each. */
  readonly lines: readonly string[];
  /** What was not as it is promised. */
  readonly broken: readonly string[];
}
