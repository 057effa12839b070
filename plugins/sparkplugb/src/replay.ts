import { FieldReader } from './field-reader.ts';
import { MetricKey, numberField, PayloadKey, ValueKey } from './wire.ts';

/** The metrics of the last birth of a device, by name or alias, with the fields of their values. */
export interface BirthMetrics {
  valueKeyOf(id: string | number): ValueKey | undefined;
}

const historical = Uint8Array.of(MetricKey.IS_HISTORICAL, 1);

/**
 * Metrics that were encoded under an earlier birth, as they may be sent under this one: without those that are not in the birth or that
 * have another type there, and marked as historical with `isHistorical`.
 */
export function replay(metrics: Uint8Array, born: BirthMetrics, isHistorical: boolean): Buffer {
  const bytes = Buffer.from(metrics.buffer, metrics.byteOffset, metrics.byteLength);
  const mark = isHistorical ? historical : historical.subarray(0, 0);
  const parts: Uint8Array[] = [];
  const reader = new FieldReader(bytes);
  while (reader.next()) {
    const body = reader.block();
    if (!fits(body, born)) continue;
    parts.push(numberField(PayloadKey.METRIC, body.length + mark.length), body, mark);
  }
  return Buffer.concat(parts);
}

function fits(body: Buffer, born: BirthMetrics): boolean {
  let valueKey: ValueKey | undefined;
  const reader = new FieldReader(body);
  while (reader.next()) {
    const { key } = reader;
    if (key === MetricKey.NAME) valueKey = born.valueKeyOf(reader.block().toString());
    else if (key === MetricKey.ALIAS) valueKey = born.valueKeyOf(Number(reader.varint()));
    else {
      if (key >= ValueKey.INT && key !== valueKey) return false;
      reader.skip();
    }
  }
  return valueKey !== undefined;
}
