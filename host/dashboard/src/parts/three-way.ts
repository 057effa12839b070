/** What a form edits: values by the names of its fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field that somebody else and whoever types here see differently. */
export interface FieldDifference {
  readonly field: string;
  readonly theirs: unknown;
  readonly mine: unknown;
  /** False where nothing was typed into the field here: what the other has made of it stays. */
  readonly isMine: boolean;
}

/** Whether two values are the same, in whatever order their members stand. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, theirs] = [one as Fields, other as Fields];
  const names = Object.keys(mine).filter((name) => mine[name] !== undefined);
  const count = Object.keys(theirs).filter((name) => theirs[name] !== undefined).length;
  return names.length === count && names.every((name) => isSame(mine[name], theirs[name]));
}

const namesOf = (...all: readonly Fields[]): string[] => [
  ...new Set(all.flatMap((fields) => Object.keys(fields))),
];

/** Where what another has saved and what is typed here differ, seen from what both began with. */
export function differencesOf(base: Fields, theirs: Fields, mine: Fields): FieldDifference[] {
  return namesOf(theirs, mine).flatMap((field) => {
    if (isSame(theirs[field], mine[field])) return [];
    const isTheirs = !isSame(theirs[field], base[field]);
    const isMine = !isSame(mine[field], base[field]);
    // A form fills in defaults of what nobody has set.
    if (!isTheirs && base[field] === undefined) return [];
    return [{ field, theirs: theirs[field], mine: mine[field], isMine }];
  });
}

/** What was typed here on top of what another has saved: fields that nobody has touched here are as the other has them. */
export function merged(base: Fields, theirs: Fields, mine: Fields): Fields {
  const fields = namesOf(theirs, mine).map((field): [string, unknown] => [
    field,
    isSame(mine[field], base[field]) ? theirs[field] : mine[field],
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
