/** A mistake that the author has to correct. It is shown by its message alone, without a stack trace. */
export class Failure extends Error {}

/** One failure for a list of problems, or nothing when there are none. */
export function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new Failure(problems.map((problem) => `- ${problem}`).join('\n'));
}
