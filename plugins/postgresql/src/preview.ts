import { type PreviewMessage, type PreviewOf, rowsOf, type Value } from '@tagway/sdk';
import { DataType } from '@tagway/sdk';
import { quoted } from './names.ts';
import { type Settings, tableNamer } from './settings.ts';
import { columnOf } from './wide-rows.ts';

/** The rows that would be stored for a sample, as JSON objects without the columns that are null, and without `seq`. */
export function preview({
  node,
  settings,
  subscription,
  sample,
}: PreviewOf<Settings, Record<string, unknown>>): PreviewMessage[] {
  const { driver, group } = subscription;
  const topic = `${quoted(settings.schema)}.${quoted(tableNamer(settings, node)({ driver, group }))}`;
  const rows = settings.form === 0 ? narrow(sample, settings) : wide(sample);
  return rows.length === 0 ? [] : [{ topic, payload: rows.map((row) => JSON.stringify(row)).join('\n') }];
}

type Sample = PreviewOf<Settings, Record<string, unknown>>['sample'];
type PreviewRow = Record<string, string | number | boolean>;

function narrow(sample: Sample, { upload_err: faults, value_time: time }: Settings): PreviewRow[] {
  const { driver: node, group } = sample.layout;
  const rows: PreviewRow[] = [];
  for (const row of rowsOf(sample)) {
    if (row.fault !== 0 && !faults) continue;
    const at = time === 1 && !Number.isNaN(row.time) ? row.time : sample.timestamp;
    const head = { time: new Date(at).toISOString(), node, group, tag: row.column.name };
    const value =
      row.value === undefined
        ? { error: row.fault }
        : { [valueColumn(row.column.valueType)]: shown(row.value) };
    rows.push({ ...head, ...value, quality: row.quality });
  }
  return rows;
}

function wide(sample: Sample): PreviewRow[] {
  const row: PreviewRow = { time: new Date(sample.timestamp).toISOString() };
  for (const { column, value } of rowsOf(sample, { all: true }))
    if (value !== undefined) row[columnOf(column.name)] = shown(value);
  return [row];
}

function valueColumn(type: DataType): string {
  switch (type) {
    case DataType.FLOAT:
    case DataType.DOUBLE:
      return 'float_value';
    case DataType.UINT64:
      return 'uint_value';
    case DataType.BOOL:
      return 'bool_value';
    case DataType.STRING:
      return 'text_value';
    case DataType.BYTES:
      return 'bytes_value';
    default:
      return 'int_value';
  }
}

/** A value as JSON has it: integers of 64 bits and bytes as texts. */
function shown(value: Value): string | number | boolean {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}
