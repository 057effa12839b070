import { type ReadReply, dataTypeName } from '@tagway/schemas';
import { call } from '../api/call.ts';
import { download, today } from '../parts/download.ts';
import type { LiveRow } from './live-row.ts';
import { valueText, type Base } from './value-text.ts';

/** Exports all rows as a CSV file, with the values that the gateway has now. */
export async function exportValues(rows: readonly LiveRow[], base: Base): Promise<void> {
  const { default: Papa } = await import('papaparse');
  const read = new Map<string, ReadReply & { readonly timestamp?: number }>();
  for (const { reference, node, group } of rows) {
    if (!read.has(reference)) {
      const body = { node, group };
      read.set(reference, await call<ReadReply>('POST', 'api/v2/read', { body }));
    }
  }
  const values = new Map(
    [...read].map(([reference, { tags }]) => [reference, new Map(tags.map((tag) => [tag.name, tag]))]),
  );
  const lines = rows.map(({ reference, node, group, tag }) => {
    const tagValue = values.get(reference)?.get(tag.name) as
      { readonly value?: unknown; readonly error?: number; readonly message?: string } | undefined;
    const time = read.get(reference)?.timestamp;
    return {
      node,
      group,
      name: tag.name,
      address: tag.address,
      type: dataTypeName(tag.type),
      value: valueText(tagValue?.value, tag.type, base),
      error: tagValue?.error ?? '',
      message: tagValue?.message ?? '',
      time: time === undefined ? '' : new Date(time).toISOString(),
    };
  });
  const text = Papa.unparse(lines, { escapeFormulae: /^[=@\t\r]/, newline: '\r\n' });
  // Spreadsheets read a file as UTF-8 only if it begins with a byte order mark.
  download(`tagway-values-${today()}.csv`, new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' }));
}
