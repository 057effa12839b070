import type { Report } from './report.ts';

/** What a measurement is given. */
export interface Run {
  /** Takes the figures. */
  readonly report: Report;
  /** Short windows instead of long ones. */
  readonly quick: boolean;
  /** Main module of the gateway that is measured, when it is not this checkout's own. */
  readonly main?: string;
}

export type Measure = (run: Run) => Promise<void>;
