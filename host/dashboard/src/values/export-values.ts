import type { ReadReply } from '@tagway/schemas';
import { call } from '../api/call.ts';
import { download, today } from '../parts/download.ts';
import type { LiveRow } from './live-row.ts';
import { typeName } from './data-types.ts';
import { valueText, type Base } from './value-text.ts';

/** Writes the rows with the values that the gateway has now, those out of sight included, as a CSV file. */
export async function exportValues(rows: readonly LiveRow[], base: Base): Promise<void> {
  const { default: Papa } = await import('papaparse');
  const read = new Map<string, ReadReply & { readonly timestamp?: number }>();
  for (const { place, node, group } of rows) {
    if (!read.has(place)) {
      const body = { node, group };
      read.set(place, await call<ReadReply>('POST', 'api/v2/read', { body }));
    }
  }
  const values = new Map(
    [...read].map(([place, { tags }]) => [place, new Map(tags.map((tag) => [tag.name, tag]))]),
  );
  const lines = rows.map(({ place, node, group, tag }) => {
    const reading = values.get(place)?.get(tag.name) as
      { readonly value?: unknown; readonly error?: number; readonly message?: string } | undefined;
    const time = read.get(place)?.timestamp;
    return {
      ...{ node, group, name: tag.name, address: tag.address, type: typeName(tag.type) },
      value: valueText(reading?.value, tag.type, base),
      error: reading?.error ?? '',
      message: reading?.message ?? '',
      time: time === undefined ? '' : new Date(time).toISOString(),
    };
  });
  const text = Papa.unparse(lines, { escapeFormulae: /^[=@\t\r]/, newline: '\r\n' });
  // Spreadsheets take a file for UTF-8 by its first sign alone.
  download(`tagway-values-${today()}.csv`, new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' }));
}
