/** The cells of a block that was copied from a spreadsheet. */
export function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"').replaceAll(/\s*\n\s*/g, ' ') ?? plain);
    if (end === '') break;
    if (end !== '\t') rows.push([]);
  }
  return rows.filter((row, index) => index < rows.length - 1 || row.some((cell) => cell !== ''));
}
