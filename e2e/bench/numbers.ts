import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { judged, nameOnce, show, type Figure } from './report.ts';

const file = join(import.meta.dirname, '../../docs/benchmarks.md');

/** A command of the document, and the table behind it. */
const section = /(`npm run bench -- --only '([^']+)'`\n\n)(?:\|.*\n)*/g;

/** What single processes take; the page shows what all of them take. */
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

/** Reads what a run wrote with --json. */
export async function readFigures(path: string): Promise<readonly Figure[]> {
  const { figures } = JSON.parse(await readFile(path, 'utf8')) as { figures?: Figure[] };
  if (!Array.isArray(figures) || figures.some(({ value }) => value === undefined))
    throw new Error(`${path} is not what --json writes of a run without --against.`);
  return figures;
}

/**
 * Writes the figures of a run into the tables of docs/benchmarks.md, each below the command that measures it; what several commands measure stands
 * below the last of them. A table of which nothing was measured stays.
 */
export async function writeNumbers(figures: readonly Figure[]): Promise<void> {
  const text = await readFile(file, 'utf8');
  const commands = [...text.matchAll(section)].map(([, , names = '']) => names);
  const commandOf = ({ measurement, group = measurement }: Figure): string | undefined =>
    commands.findLast((names) => names.split(/,(?! )/).some((part) => group.includes(part)));
  const byCommand = Map.groupBy(
    figures.filter((one) => !isOfOneProcess(one)),
    commandOf,
  );
  const renewed = text.replace(section, (whole, head: string, names: string) => {
    const chosen = byCommand.get(names);
    return chosen === undefined ? whole : head + tableOf(chosen);
  });
  await writeFile(file, renewed);
}
