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
export type Signal = 'metrics' | 'logs';

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
