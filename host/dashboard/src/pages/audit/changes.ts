/** A member that a change gave another value. */
export interface Change {
  readonly name: string;
  /** As JSON; undefined where it was not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What differs, member by member, in the order in which the members stand afterwards. */
export function changesOf(before: unknown, after: unknown): Change[] {
  const old = membersOf(before);
  const next = membersOf(after);
  const names = [...next.keys(), ...[...old.keys()].filter((name) => !next.has(name))];
  return names
    .map((name) => ({ name, before: old.get(name), after: next.get(name) }))
    .filter((change) => change.before !== change.after);
}

function membersOf(value: unknown): ReadonlyMap<string, string> {
  if (value === undefined || value === null) return new Map();
  if (typeof value !== 'object' || Array.isArray(value)) return new Map([['', JSON.stringify(value)]]);
  return new Map(Object.entries(value).map(([name, one]) => [name, JSON.stringify(one)]));
}
