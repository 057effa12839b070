import { SparkplugType } from './datatype.ts';
import { maxVarint, MetricKey, PayloadKey, writeVarint } from './wire.ts';

/** Name of the metric that hosts ask for births with. */
export const rebirthName = 'Node Control/Rebirth';

/** Most bytes that a payload has beside its metrics: two keys, a timestamp and a sequence number. */
const margin = 2 * (1 + maxVarint);

/** A payload of metrics that are encoded already; without `seq` for a death of the node. `time` in milliseconds since the epoch. */
export function payloadOf(metrics: readonly Uint8Array[], time: number, seq?: number): Buffer {
  const size = metrics.reduce((sum, { length }) => sum + length, margin);
  const payload = Buffer.allocUnsafe(size);
  payload[0] = PayloadKey.TIMESTAMP;
  let at = writeVarint(payload, 1, Math.trunc(time));
  for (const part of metrics) {
    payload.set(part, at);
    at += part.length;
  }
  if (seq !== undefined) {
    payload[at++] = PayloadKey.SEQ;
    at = writeVarint(payload, at, seq);
  }
  return payload.subarray(0, at);
}

function metric(name: string, type: SparkplugType, time: number, key: number, value: number): Buffer {
  const bytes = Buffer.from(name);
  const body = Buffer.alloc(bytes.length + 6 + 2 * maxVarint);
  body[0] = MetricKey.NAME;
  let at = writeVarint(body, 1, bytes.length);
  body.set(bytes, at);
  at += bytes.length;
  body[at++] = MetricKey.TIMESTAMP;
  at = writeVarint(body, at, Math.trunc(time));
  body[at++] = MetricKey.DATATYPE;
  body[at++] = type;
  body[at++] = key;
  at = writeVarint(body, at, value);
  const head = Buffer.of(PayloadKey.METRIC, at);
  return Buffer.concat([head, body.subarray(0, at)]);
}

/** Ties the death of a node to its birth. */
export function bdSeqMetric(bdSeq: number, time: number): Buffer {
  return metric('bdSeq', SparkplugType.INT64, time, MetricKey.LONG, bdSeq);
}

export function rebirthMetric(time: number): Buffer {
  return metric(rebirthName, SparkplugType.BOOLEAN, time, MetricKey.BOOLEAN, 0);
}
