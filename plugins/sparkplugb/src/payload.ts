import { SparkplugType } from './datatype.ts';
import { bytesField, MetricKey, numberField, PayloadKey, ValueKey } from './wire.ts';

/** Name of the metric by which a host asks for births. */
export const rebirthName = 'Node Control/Rebirth';

/** A payload of encoded metrics; without `seq` for a death of the node. `time` in milliseconds since the epoch. */
export function payloadOf(metrics: readonly Uint8Array[], time: number, seq?: number): Buffer {
  const head = numberField(PayloadKey.TIMESTAMP, Math.trunc(time));
  const tail = seq === undefined ? [] : [numberField(PayloadKey.SEQ, seq)];
  return Buffer.concat([head, ...metrics, ...tail]);
}

function metric(name: string, type: SparkplugType, time: number, key: number, value: number): Buffer {
  const fields = [
    bytesField(MetricKey.NAME, Buffer.from(name)),
    numberField(MetricKey.TIMESTAMP, Math.trunc(time)),
    numberField(MetricKey.DATATYPE, type),
    numberField(key, value),
  ];
  return bytesField(PayloadKey.METRIC, Buffer.concat(fields));
}

/** Ties the death of a node to its birth. */
export function bdSeqMetric(bdSeq: number, time: number): Buffer {
  return metric('bdSeq', SparkplugType.INT64, time, ValueKey.LONG, bdSeq);
}

export function rebirthMetric(time: number): Buffer {
  return metric(rebirthName, SparkplugType.BOOLEAN, time, ValueKey.BOOLEAN, 0);
}
