/** Checks of what comes from a disk or another process, of which nothing is known. */
export type Check = (thing: unknown) => boolean;

export function isObject(thing: unknown): thing is Record<string, unknown> {
  return typeof thing === 'object' && thing !== null && !Array.isArray(thing);
}

export const isText = (thing: unknown): thing is string => typeof thing === 'string';
export const isNumber: Check = (thing) => typeof thing === 'number';
export const isBoolean: Check = (thing) => typeof thing === 'boolean';

export function optional(check: Check): Check {
  return (thing) => thing === undefined || check(thing);
}

export function oneOf(values: readonly unknown[]): Check {
  const known = new Set(values);
  return (thing) => known.has(thing);
}

/** Whether lists and objects within each other have more than `most` levels. */
export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((one) => isDeeper(one, most - 1));
}

/** A check for objects that have all of these members; they may have others. */
export function membersOf<T>(
  members: Readonly<Record<keyof T & string, Check>>,
): (thing: unknown) => thing is T {
  const checks = Object.entries<Check>(members);
  return (thing): thing is T => isObject(thing) && checks.every(([name, check]) => check(thing[name]));
}
