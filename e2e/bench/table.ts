/** Columns of text beside each other, the first line as the head; `right` are the columns of numbers. */
export function tableOf(lines: readonly (readonly string[])[], right: readonly number[]): string {
  const [head = [], ...rows] = lines;
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const render = (line: readonly string[]): string =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width));
  return [render(head), render(rule), ...rows.map(render)].join('\n');
}

/** The measurement's name, or nothing where the row above has the same. */
export function nameOnce(rows: readonly { readonly measurement: string }[], index: number): string {
  const name = rows[index]?.measurement ?? '';
  return name === rows[index - 1]?.measurement ? '' : name;
}

/** A ratio in thousandths; a dash when there is none. */
export function showRatio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : '–';
}

/** A figure in about three digits; a dash when it could not be measured. */
export function show(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
