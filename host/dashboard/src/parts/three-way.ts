/** The values of a form by the names of its fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field whose value differs between another user and this form. */
export interface FieldDifference {
  readonly field: string;
  readonly theirs: unknown;
  readonly mine: unknown;
  /** False when the field was not changed in this form, so that the other user's value stays. */
  readonly isMine: boolean;
}

/** Whether two values are equal; the order of members does not matter. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const mine = one as Fields;
  const theirs = other as Fields;
  const names = Object.keys(mine).filter((name) => mine[name] !== undefined);
  const count = Object.keys(theirs).filter((name) => theirs[name] !== undefined).length;
  return names.length === count && names.every((name) => isSame(mine[name], theirs[name]));
}

const namesOf = (...all: readonly Fields[]): string[] => [
  ...new Set(all.flatMap((fields) => Object.keys(fields))),
];

/** The fields that differ between what another user has saved and this form; both began with `base`. */
export function differencesOf(base: Fields, theirs: Fields, mine: Fields): FieldDifference[] {
  return namesOf(theirs, mine).flatMap((field) => {
    if (isSame(theirs[field], mine[field])) return [];
    const isTheirs = !isSame(theirs[field], base[field]);
    const isMine = !isSame(mine[field], base[field]);
    // The form fills in the default of a field that is not set.
    if (!isTheirs && base[field] === undefined) return [];
    return [{ field, theirs: theirs[field], mine: mine[field], isMine }];
  });
}

/** What another user has saved, with the fields that were changed in this form. */
export function merged(base: Fields, theirs: Fields, mine: Fields): Fields {
  const fields = namesOf(theirs, mine).map((field): [string, unknown] => [
    field,
    isSame(mine[field], base[field]) ? theirs[field] : mine[field],
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
