import { writeFileSync } from 'node:fs';
import type { Suite } from 'mocha';

/** Set by `pluginkit publish`: the file that the conformance suite leaves when it has run. */
export const outcomeVariable = 'TAGWAY_CONFORMANCE_OUTCOME';

/** How many tests of a plugin's conformance suite passed, and how many did not, or were not run. */
export interface Outcome {
  readonly id: string;
  readonly passed: number;
  readonly others: number;
}

/** To be called in the suite: leaves its outcome where `pluginkit publish` looks for it. */
export function recordOutcome(suite: Suite, id: string): void {
  const file = process.env[outcomeVariable];
  if (file === undefined) return;
  after('the outcome is recorded', () => {
    let passed = 0;
    let others = 0;
    suite.eachTest((test) => {
      if (test.isPassed()) passed += 1;
      else others += 1;
    });
    writeFileSync(file, JSON.stringify({ id, passed, others } satisfies Outcome));
  });
}
