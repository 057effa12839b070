// The line of figures about the tests that want to take the gateway down, over all of their files.

/** Undefined when none of `results`, which are those of jobs, is of such a file. */
export function hostileLine(results) {
  const hostile = results.filter(({ title }) => title.startsWith('e2e/hostile/'));
  if (hostile.length === 0) return undefined;
  const sum = (of) => hostile.reduce((total, result) => total + of(result), 0);
  const held = sum(({ passed }) => passed);
  const cases = held + sum(({ failed }) => failed);
  const all = hostile.flatMap(({ figures }) => figures);
  const counted = `Hostile: ${cases} cases, ${held} held`;
  if (all.length === 0) return `${counted}.`;
  const pause = Math.max(...all.map((one) => one.pause));
  const grown = all.reduce((one, other) =>
    other.after - other.before > one.after - one.before ? other : one,
  );
  return (
    `${counted}; worst pause of the API ${pause.toFixed(0)} ms; ` +
    `RSS ${grown.before.toFixed(0)} MB before and ${grown.after.toFixed(0)} MB after the case that it grew most in.`
  );
}
