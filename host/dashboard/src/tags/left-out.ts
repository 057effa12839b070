import type { TFunction } from 'i18next';
import { download, today } from '../parts/download.ts';
import { csvOf } from './spreadsheets.ts';
import { columns, titlesOf } from './tag-file.ts';
import type { BadCell } from './tag-plan.ts';

/** What is wrong with a cell, in a sentence. */
export const sentenceOf = ({ rule }: BadCell, t: TFunction): string =>
  'key' in rule ? t(`tags.rule.${rule.key}`, { limit: rule.limit }) : rule.message;

/** What is wrong with each row, by its number. */
export function sentencesOf(cells: readonly BadCell[], t: TFunction): Map<number, string> {
  const sentences = new Map<number, string>();
  for (const cell of cells) {
    const before = sentences.get(cell.row);
    const one = `${cell.field === '' ? '' : `${cell.field}: `}${sentenceOf(cell, t)}`;
    sentences.set(cell.row, before === undefined ? one : `${before} ${one}`);
  }
  return sentences;
}

/** Saves the rows that were left out as a file that can be mended and imported: as they were, with what is wrong in a last column. */
export async function saveLeftOut(
  table: readonly (readonly string[])[],
  leftOut: ReadonlyMap<number, string>,
): Promise<void> {
  const titles = titlesOf(table);
  const head = titles === undefined ? columns.slice(2) : (table[0] ?? []);
  const width = head.length;
  const lines = [...leftOut]
    .toSorted(([one], [other]) => one - other)
    .map(([row, sentence]) => {
      const cells = table[row - 1] ?? [];
      return [...Array.from({ length: width }, (_, at) => cells[at] ?? ''), sentence];
    });
  download(`tags-left-out-${today()}.csv`, await csvOf([[...head, 'problem'], ...lines]));
}
