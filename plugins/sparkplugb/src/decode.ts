import { FieldReader } from './field-reader.ts';
import { MetricKey, PayloadKey, ValueKey } from './wire.ts';

/** A decoded value: an unsigned 32-bit number of `int_value`, an unsigned 64-bit bigint of `long_value`, and so on. */
export type WireValue = number | bigint | boolean | string | Uint8Array;

/** A metric of a command. */
export interface CommandMetric {
  readonly name?: string;
  readonly alias?: bigint;
  /** A number of `SparkplugType`. */
  readonly datatype?: number;
  /** Absent for null, and for data sets and templates, which no tag takes. */
  readonly value?: WireValue;
  /** The field that holds the value. */
  readonly field?: ValueKey;
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
    else if (!readValue(reader, metric)) reader.skip();
  }
  return metric;
}

/** A number that is neither 0 nor 1 stays one, and is refused. */
function bitOf(bits: bigint): boolean | bigint {
  return bits > 1n ? bits : bits === 1n;
}

/** Reads the current field into the metric; false when it is no value. */
function readValue(reader: FieldReader, metric: { value?: WireValue; field?: ValueKey }): boolean {
  const { bytes } = reader;
  if (reader.key === ValueKey.INT) metric.value = Number(BigInt.asUintN(32, reader.varint()));
  else if (reader.key === ValueKey.LONG) metric.value = reader.varint();
  else if (reader.key === ValueKey.FLOAT) metric.value = bytes.readFloatLE(reader.take(4));
  else if (reader.key === ValueKey.DOUBLE) metric.value = bytes.readDoubleLE(reader.take(8));
  else if (reader.key === ValueKey.BOOLEAN) metric.value = bitOf(reader.varint());
  else if (reader.key === ValueKey.STRING) metric.value = utf8.decode(reader.block());
  else if (reader.key === ValueKey.BYTES) metric.value = Uint8Array.from(reader.block());
  else return false;
  metric.field = reader.key;
  return true;
}
