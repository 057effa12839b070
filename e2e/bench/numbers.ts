import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { judged, type Figure } from './report.ts';
import { nameOnce, show } from './table.ts';

const file = join(import.meta.dirname, '../NUMBERS.md');

/** A command of the document, and the table behind it. */
const section = /(`npm run bench -- --only '([^']+)'`\n\n)(?:\|.*\n)*/g;

/** What single processes take; the document tells what all of them take. */
const isOfOneProcess = ({ figure }: Figure): boolean =>
  /^(RSS|CPU) (host|runner|floor)|^of it pages/.test(figure);

/** A bar would end the cell. */
const cells = (line: readonly string[]): string =>
  `| ${line.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;

function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((one, index) =>
    cells([nameOnce(figures, index), one.figure, `${show(one.value)} ${one.unit}`.trim(), ...judged(one)]),
  );
  return (
    cells(['What', 'Figure', 'Measured', 'Target', '']) +
    cells(['---', '---', '---:', '---:', '---']) +
    rows.join('')
  );
}

/**
 * Writes the figures of a run into the tables of e2e/NUMBERS.md, each below the command that measures it; what several commands measure stands
 * below the last of them. A table of which nothing was measured stays.
 */
export async function writeNumbers(figures: readonly Figure[]): Promise<void> {
  const text = await readFile(file, 'utf8');
  const commands = [...text.matchAll(section)].map(([, , names = '']) => names);
  const commandOf = ({ measurement, group = measurement }: Figure): string | undefined =>
    commands.findLast((names) => names.split(/,(?! )/).some((part) => group.includes(part)));
  const told = Map.groupBy(
    figures.filter((one) => !isOfOneProcess(one)),
    commandOf,
  );
  const renewed = text.replace(section, (whole, head: string, names: string) => {
    const chosen = told.get(names);
    return chosen === undefined ? whole : head + tableOf(chosen);
  });
  await writeFile(file, renewed);
}
