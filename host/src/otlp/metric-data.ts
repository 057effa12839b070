import { ValueType, type HrTime } from '@opentelemetry/api';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { MetricFamily } from '../core/ports/telemetry.ts';
import { attributeOf, type Semantic, semanticOf } from './metric-names.ts';
import type { SeriesStarts } from './series-starts.ts';
import type { Rejected } from './signal-queue.ts';

interface Gathered {
  readonly semantic: Semantic;
  readonly description: string;
  readonly points: DataPoint<number>[];
}

/** Metrics under their names of OpenTelemetry; several of the page may be one, apart by an attribute. `now`, `begin`: milliseconds since the epoch. */
export function metricsOf(
  families: Iterable<MetricFamily>,
  starts: SeriesStarts,
  { begin, now }: { readonly begin: number; readonly now: number },
): MetricData[] {
  const metrics = new Map<string, Gathered>();
  const endTime = timeOf(now);
  const beginTime = timeOf(begin);
  for (const family of families) {
    const semantic = semanticOf(family);
    if (semantic === undefined) continue;
    const { name, unit, kind, scale = 1, none } = semantic;
    let metric = metrics.get(name);
    if (metric === undefined)
      metrics.set(name, (metric = { semantic, description: family.help, points: [] }));
    const isWhole = isWholeIn(unit);
    for (const { labels, value } of family.points) {
      if (value === none || !Number.isFinite(value)) continue;
      const attributes = attributesOf(labels, semantic.attributes);
      const scaled = isWhole ? Math.round(value * scale) : value * scale;
      const startTime =
        kind === 'sum' ? timeOf(starts.of(`${name} ${JSON.stringify(attributes)}`, scaled)) : beginTime;
      metric.points.push({ startTime, endTime, attributes, value: scaled });
    }
  }
  starts.collected(now);
  return Array.from(metrics.values(), metricOf);
}

function metricOf({ semantic: { name, unit, kind }, description, points }: Gathered): MetricData {
  const common = {
    descriptor: { name, unit, description, valueType: isWholeIn(unit) ? ValueType.INT : ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPoints: points,
  };
  return kind === 'gauge'
    ? { ...common, dataPointType: DataPointType.GAUGE }
    : { ...common, dataPointType: DataPointType.SUM, isMonotonic: kind === 'sum' };
}

/** Metrics as bodies of requests with at most `most` values each. */
export function* requestsOf(
  metrics: readonly MetricData[],
  resource: Resource,
  version: string,
  most: number,
): Generator<{ readonly body: Uint8Array; readonly points: number }> {
  const scope = { name: 'tagway', version };
  const encode = (parts: MetricData[]): Uint8Array =>
    ProtobufMetricsSerializer.serializeRequest({ resource, scopeMetrics: [{ scope, metrics: parts }] }) ??
    new Uint8Array();
  let parts: MetricData[] = [];
  let points = 0;
  for (const metric of metrics)
    for (let from = 0; from < metric.dataPoints.length;) {
      const dataPoints = metric.dataPoints.slice(from, from + most - points);
      parts.push({ ...metric, dataPoints } as MetricData);
      from += dataPoints.length;
      points += dataPoints.length;
      if (points < most) continue;
      yield { body: encode(parts), points };
      parts = [];
      points = 0;
    }
  if (points > 0) yield { body: encode(parts), points };
}

/** What a collector says of values that it did not take, in an answer that is otherwise good. */
export function rejectedPoints(answer: Uint8Array): Rejected {
  const { partialSuccess } = ProtobufMetricsSerializer.deserializeResponse(answer);
  return {
    items: partialSuccess?.rejectedDataPoints ?? 0,
    reason: partialSuccess?.errorMessage ?? '',
  };
}

function isWholeIn(unit: string): boolean {
  return unit === 'By' || unit.startsWith('{');
}

function attributesOf(
  labels: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const attributes: Record<string, string> = { ...own };
  for (const [label, text] of Object.entries(labels)) attributes[attributeOf(label)] = text;
  return attributes;
}

/** A time in milliseconds since the epoch. */
export function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)];
}
