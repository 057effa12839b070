import { DataType } from '@tagway/schemas';
import type { BrowsePage } from '../../driver.ts';

const types: ReadonlySet<unknown> = new Set([0, ...Object.values(DataType)]);
const isText = (thing: unknown): boolean => typeof thing === 'string';
const isTextOrNone = (thing: unknown): boolean => thing === undefined || isText(thing);

/** Whether a plugin's answer is a valid `BrowsePage`. */
export function isBrowsePage(thing: unknown): thing is BrowsePage {
  if (typeof thing !== 'object' || thing === null) return false;
  const { total, type, isArray, entries, cursor } = thing as Partial<Record<keyof BrowsePage, unknown>>;
  return (
    (total === undefined || Number.isFinite(total)) &&
    types.has(type) &&
    typeof isArray === 'boolean' &&
    isTextOrNone(cursor) &&
    Array.isArray(entries) &&
    entries.every(isEntry)
  );
}

function isEntry(thing: unknown): boolean {
  if (typeof thing !== 'object' || thing === null) return false;
  const { name, id, readable, type, description, unit } = thing as Readonly<Record<string, unknown>>;
  return (
    isText(name) &&
    isText(id) &&
    typeof readable === 'boolean' &&
    types.has(type) &&
    isTextOrNone(description) &&
    isTextOrNone(unit)
  );
}
