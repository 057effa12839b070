import type { FoundPackage } from '@tagway/schemas';
import type { Plugin } from '../model.ts';

/** Shorter names differ by one letter for good reasons, as `s5` and `s7` do. */
const leastLength = 5;

/** Letters and digits that can be taken for one another; names of packages have no others than those of ASCII. */
const confusable: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/0/g, 'o'],
  [/[1i]/g, 'l'],
  [/5/g, 's'],
];

/** What a package calls itself: without its scope, the word that all have, and marks between words. */
function ownName(name: string): string {
  const own = name.toLowerCase().replace(/^@[^/]*\//, '');
  return own.replace(/^tagway-(?:plugin-)?/, '').replaceAll(/[^a-z0-9]/g, '');
}

/** A name as the eye takes it. */
const shapeOf = (own: string): string =>
  confusable.reduce((text, [pattern, one]) => text.replaceAll(pattern, one), own);

/** The first of other names that a name can be taken for; undefined when there is none. */
export function similarName(name: string, others: readonly string[]): string | undefined {
  const own = ownName(name);
  return others.find((other) => other !== name && isSimilar(own, ownName(other)));
}

function isSimilar(one: string, other: string): boolean {
  if (shapeOf(one) === shapeOf(other)) return true;
  return Math.min(one.length, other.length) >= leastLength && isOneSlip(one, other);
}

/** Whether one letter is changed, added, left out, or changed places with the next. Digits number the models of a maker. */
function isOneSlip(one: string, other: string): boolean {
  let begin = 0;
  while (begin < one.length && one[begin] === other[begin]) begin++;
  let end = 0;
  const most = Math.min(one.length, other.length) - begin;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [a, b] = [one, other].map((text) => text.slice(begin, text.length - end)) as [string, string];
  if (/^\d*$/.test(a) && /^\d*$/.test(b)) return false;
  if (a.length <= 1 && b.length <= 1) return true;
  return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
}

/** What is installed, by the names under which people know it: its package, and the id of what came otherwise. */
const installedNames = (plugins: readonly Plugin[]): string[] =>
  plugins.map(({ id, origin }) => origin?.package ?? id);

/** The installed plugin that the name of a package can be taken for. */
export function similarInstalled(name: string, plugins: readonly Plugin[]): string | undefined {
  return similarName(name, installedNames(plugins));
}

/** Packages with the name that each can be taken for, of what is installed or among those that were found. */
export function withSimilarNames(rows: readonly FoundPackage[], plugins: readonly Plugin[]): FoundPackage[] {
  const installed = installedNames(plugins);
  const found = rows.map(({ package: name }) => name);
  return rows.map((row) => {
    if (row.installed !== undefined) return row;
    const other = similarName(row.package, [...installed, ...found]);
    return other === undefined ? row : { ...row, looks_like: other };
  });
}
