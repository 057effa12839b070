// Tests that failed while others kept the machine busy, once more by themselves: one that holds then was disturbed, one that
// fails again is broken. Either is said, and the first failure has been shown whole.

/** More failures than these are no disturbance. */
const most = 3;

/** Which of `jobs`, by their results, are worth another run: the few that hold tests and failed beside others. */
export function disturbed(jobs, results) {
  const failed = results.filter(({ isGood }) => !isGood);
  if (results.length < 2 || failed.length === 0 || failed.length > most) return [];
  const again = jobs.filter(({ title }) => failed.some((result) => result.title === title));
  // A check or a build comes to the same result every time, and what it found is the failure to look at.
  if (!again.every(({ counts }) => counts === true)) return [];
  return again.map((job) => ({ ...job, needs: undefined }));
}

/** The results with those of the second run in the place of the first ones. */
export function settle(results, second) {
  const later = new Map(second.map((result) => [result.title, result]));
  return results.map((result) => later.get(result.title) ?? result);
}
