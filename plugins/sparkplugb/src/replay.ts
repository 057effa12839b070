import { Kind } from './datatype.ts';
import { FieldReader } from './reader.ts';
import { MetricKey, PayloadKey, writeVarint } from './wire.ts';

/** The metrics of the last birth of a device, by name or alias, with the kinds of their values. */
export interface Born {
  kindOf(id: string | number): Kind | undefined;
}

const historical = Uint8Array.of(MetricKey.IS_HISTORICAL, 1);

/** Key of the field that holds a value of this kind. */
const valueKeys: Readonly<Record<Kind, number>> = {
  [Kind.INT]: MetricKey.INT,
  [Kind.LONG]: MetricKey.LONG,
  [Kind.FLOAT]: MetricKey.FLOAT,
  [Kind.DOUBLE]: MetricKey.DOUBLE,
  [Kind.BOOLEAN]: MetricKey.BOOLEAN,
  [Kind.STRING]: MetricKey.STRING,
  [Kind.BYTES]: MetricKey.BYTES,
};

/**
 * Metrics that were encoded under an earlier birth, as they may be sent under this one: without those that the birth does not know
 * or knows with another kind of value, and marked as historical if they are.
 */
export function replay(metrics: Uint8Array, born: Born, isHistorical: boolean): Buffer {
  const bytes = Buffer.from(metrics.buffer, metrics.byteOffset, metrics.byteLength);
  const mark = isHistorical ? historical : historical.subarray(0, 0);
  const parts: Uint8Array[] = [];
  const reader = new FieldReader(bytes);
  while (reader.next()) {
    const body = reader.block();
    if (!fits(body, born)) continue;
    const head = Buffer.alloc(6);
    head[0] = PayloadKey.METRIC;
    parts.push(head.subarray(0, writeVarint(head, 1, body.length + mark.length)), body, mark);
  }
  return Buffer.concat(parts);
}

function fits(body: Buffer, born: Born): boolean {
  let kind: Kind | undefined;
  const reader = new FieldReader(body);
  while (reader.next()) {
    const { key } = reader;
    if (key === MetricKey.NAME) kind = born.kindOf(reader.block().toString());
    else if (key === MetricKey.ALIAS) kind = born.kindOf(Number(reader.varint()));
    else {
      const isValue = key >= MetricKey.INT;
      if (isValue && (kind === undefined || key !== valueKeys[kind])) return false;
      reader.skip();
    }
  }
  return kind !== undefined;
}
