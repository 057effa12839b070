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
export type Signal = 'metrics';

/** What became of the values, records or spans of a signal. */
export interface SignalCounts {
  readonly signal: Signal;
  sent: number;
  /** Those that the collector refused, and those that a full queue left out. */
  dropped: number;
  /** Bytes of requests that wait. */
  waiting: number;
}
