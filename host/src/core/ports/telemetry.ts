import type { LogLevel } from '@tagway/schemas';

/** A metric with its values, as every reader of them gets it. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly points: readonly MetricPoint[];
}

export interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a collector of OpenTelemetry gets. */
export type Signal = 'metrics' | 'logs' | 'traces';

/** What became of the values, records or spans of a signal. */
export interface SignalCounts {
  readonly signal: Signal;
  sent: number;
  /** Those that the collector refused, and those that a full queue left out. */
  dropped: number;
  /** Bytes of requests that wait. */
  waiting: number;
}

/** An entry of the log of the gateway or of a node. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  /** Name of the node, or `gateway` for the gateway's own log. */
  readonly name: string;
  readonly message: string;
  readonly fields?: object | undefined;
}

/** A step of the way of a followed reading, as a span of OpenTelemetry. */
export interface SampleSpan {
  /** Of the trace, in 32 hexadecimal digits; of the span and the one before it, in 16. The first one has none before it. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: 'poll' | 'read' | 'gateway' | 'publish' | 'acknowledge';
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why it failed, in one sentence. */
  readonly failure?: string | undefined;
}

/** Follows readings of drivers to the servers of apps. */
export interface Following {
  /** One in this many readings is followed. */
  readonly oneIn: number;
  /** Takes the steps of their way. */
  take(span: SampleSpan): void;
}
