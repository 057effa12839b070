import { FieldReader } from './reader.ts';
import { MetricKey, PayloadKey } from './wire.ts';

/** A value as it came: an unsigned 32-bit number of `int_value`, an unsigned 64-bit bigint of `long_value`, and so on. */
export type WireValue = number | bigint | boolean | string | Uint8Array;

/** A metric of a command. */
export interface CommandMetric {
  readonly name?: string;
  readonly alias?: bigint;
  /** A number of `SparkplugType`. */
  readonly datatype?: number;
  /** Absent for null, and for data sets and templates, which no tag takes. */
  readonly value?: WireValue;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The metrics of a payload. Throws when the bytes are no Sparkplug B payload. */
export function decodeMetrics(payload: Buffer): CommandMetric[] {
  const metrics: CommandMetric[] = [];
  const reader = new FieldReader(payload);
  while (reader.next()) {
    if (reader.key === PayloadKey.METRIC) metrics.push(decodeMetric(reader.block()));
    else reader.skip();
  }
  return metrics;
}

function decodeMetric(bytes: Buffer): CommandMetric {
  const metric: { -readonly [Key in keyof CommandMetric]: CommandMetric[Key] } = {};
  const reader = new FieldReader(bytes);
  while (reader.next()) {
    if (reader.key === MetricKey.NAME) metric.name = utf8.decode(reader.block());
    else if (reader.key === MetricKey.ALIAS) metric.alias = reader.varint();
    else if (reader.key === MetricKey.DATATYPE) metric.datatype = Number(reader.varint());
    else if (!isValue(reader, metric)) reader.skip();
  }
  return metric;
}

function isValue(reader: FieldReader, metric: { value?: WireValue }): boolean {
  const { bytes } = reader;
  if (reader.key === MetricKey.INT) metric.value = Number(BigInt.asUintN(32, reader.varint()));
  else if (reader.key === MetricKey.LONG) metric.value = reader.varint();
  else if (reader.key === MetricKey.FLOAT) metric.value = bytes.readFloatLE(reader.take(4));
  else if (reader.key === MetricKey.DOUBLE) metric.value = bytes.readDoubleLE(reader.take(8));
  else if (reader.key === MetricKey.BOOLEAN) metric.value = reader.varint() !== 0n;
  else if (reader.key === MetricKey.STRING) metric.value = utf8.decode(reader.block());
  else if (reader.key === MetricKey.BYTES) metric.value = Uint8Array.from(reader.block());
  else return false;
  return true;
}
