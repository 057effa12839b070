/** Something that the author has to put right. Its message is for them; there is no stack trace. */
export class Failure extends Error {}

/** One failure for a list of problems, or nothing when there are none. */
export function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new Failure(problems.map((problem) => `- ${problem}`).join('\n'));
}
